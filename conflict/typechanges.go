package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// hurtByType reports whether a use of what has another type now, or gives another, is hurt by that.
func (c *Direction) hurtByType(e Edit, u Use) bool {
	if u.Ref.Use == code.Call && e.Old.Callable() && e.Old.Result == "void" || c.onlyHandsOn(e, u) || e.byDefault() {
		return false // nobody can have used a result, or nobody calls what is handed on
	}
	if e.onlyReads() {
		return regexp.MustCompile(strings.ReplaceAll(changesArray, "NAME", `(?:[\w$]+\.)*`+regexp.QuoteMeta(e.Old.Name))).
			MatchString(c.lineOf(u))
	}
	if c.bears(e, u) || e.Old.Callable() && hasWord(e.New.Result, e.New.TypeParams) {
		return false
	}
	literals := e.Old.Kind == code.Type && strings.ContainsAny(e.Old.Type, `"'{`) // their members tell
	return !literals && (u.from.language.Matters == nil ||
		u.from.language.Matters(e.Old.Result+e.Old.Type, e.New.Result+e.New.Type))
}

// changesArray matches a line of TypeScript that changes the array NAME.
const changesArray = `(?:^|[^\w.])NAME\.(?:copyWithin|fill|pop|push|reverse|shift|sort|splice|unshift)\(|` +
	`^\s*NAME(?:\.\w+|\[[^\]]+\])\s*[-+*/|&]?=[^=>]|\bdelete\s+NAME\b|\bObject\.assign\(\s*NAME\b`

// onlyReads reports whether a value of TypeScript becomes an array that cannot be changed.
func (e Edit) onlyReads() bool {
	old, new := e.Old.Type, e.New.Type
	element, isArray := strings.CutSuffix(old, "[]")
	return isArray && (new == "readonly "+old || new == "ReadonlyArray<"+element+">")
}

// byDefault reports whether the type that a member has now can be the former one, since the type around it has got type
// parameters that stand for others by themselves.
func (e Edit) byDefault() bool {
	owner, found := definition(e.to.New, e.New.Container)
	old, pattern := e.Old.Type+e.Old.Result, regexp.QuoteMeta(e.New.Type+e.New.Result)
	if !found || e.New.Container == "" {
		return false
	}
	for _, p := range owner.TypeParams {
		if p.Optional {
			pattern = regexp.MustCompile(`\b`+regexp.QuoteMeta(p.Name)+`\b`).ReplaceAllLiteralString(pattern, ".+")
		}
	}
	return regexp.MustCompile("^" + pattern + "$").MatchString(old)
}

var (
	// functionForm is a type of functions of TypeScript, by its parameters and its result.
	functionForm = lazyregexp.New(`^(\(.*?\)) => (.*)$`)
	// restTaken is a pattern of Rust that leaves out what it does not name.
	restTaken = lazyregexp.New(`\.\.\s*\)\s*=[^=]`)
)

// bears reports whether the line of a use is valid for the old and the new type: it first checks whether there is a
// value, unpacks the first elements of a tuple, or passes a function whose result is one of several allowed ones.
func (c *Direction) bears(e Edit, u Use) bool {
	was, is, line := e.Old.Type+e.Old.Result, e.New.Type+e.New.Result, ""
	switch old, new := functionForm.FindStringSubmatch(was), functionForm.FindStringSubmatch(is); {
	case e.Old.Kind == code.Type && old != nil && new != nil:
		if old[1] != new[1] || !lang.Among(old[2], new[2]) {
			return false
		}
		line = `:\s*NAME(?:<[^=]*>)?\s*=[^=>]`
	case strings.HasSuffix(was, "*") && is == "const "+was:
		text := c.lineOf(u)
		taken := regexp.MustCompile(`\w\s*\*+\s*\w+\s*=[^=]*\b` + regexp.QuoteMeta(u.Ref.Name) + `\(`)
		return strings.Contains(text, "const ") || !taken.MatchString(text)
	case nothingMore(was, is):
		line = `\bNAME(?:\([^()]*\))?\s*(?:\?\.|\?\?|\?->|&&|\|\||[!=]==?)|!\s*[\w.$>-]*\bNAME\b|` +
			`\b(?:if|while)\s*\([\w.$>-]*\bNAME\b`
	case strings.HasPrefix(was, "(") && strings.HasPrefix(is, strings.TrimSuffix(was, ")")+","):
		if strings.Contains(c.lineOf(u), "..") && restTaken.MatchString(c.lineOf(u)) {
			return true
		}
		line = `\bNAME\([^()]*\)\.\d`
	default:
		return false
	}
	return regexp.MustCompile(strings.ReplaceAll(line, "NAME", regexp.QuoteMeta(u.Ref.Name))).MatchString(c.lineOf(u))
}

// nothingMore reports whether a type takes what another does, and null or undefined.
func nothingMore(was, is string) bool {
	if is == "?"+was {
		return true
	}
	more := slices.DeleteFunc(lang.Alternatives(is), func(a string) bool { return lang.Among(a, was) })
	return len(more) > 0 && !slices.ContainsFunc(more, func(a string) bool { return a != "null" && a != "undefined" })
}

// doesWithResult reports whether code does something with the very value that a call gave: in place, or by the variable
// that has it, until that is set anew. The pattern of it is made of one for the value.
func (c *Direction) doesWithResult(u Use, pattern func(value string) *regexp.Regexp) bool {
	lines := c.statements(u.Path())
	at := statementAt(lines, u.Ref.Line)
	if at < 0 {
		return false
	}
	call, whole := `[\w.$]*\b`+regexp.QuoteMeta(u.Ref.Name)+`\(`, `[^()]*\)`
	if u.from.language.Has(lang.FieldReaders) && !strings.Contains(lines[at], u.Ref.Name+"(") {
		call, whole = strings.TrimSuffix(call, `\(`), "" // its calls do without brackets
	}
	if pattern(call + whole).MatchString(lines[at]) {
		return true
	}
	given := regexp.MustCompile(`(?:^|[\s>\]])([\w$]+)\s*(?::[^=]*)?=\s*(?:await\s+)?` + call + `(.*)$`).
		FindStringSubmatch(lines[at])
	if given == nil || strings.Contains(afterCall(given[2]), ".") || whole == "" && given[2] != "" {
		return false
	}
	name := regexp.QuoteMeta(given[1])
	does, again := pattern(name), regexp.MustCompile(`(?:^|[^\w.])`+name+`\s*(?::[^=]*)?=[^=]`)
	for _, line := range lines[at+1:] {
		if text := strings.TrimSpace(line); text != "" && indentOf(line) < indentOf(lines[at]) {
			return false
		}
		if does.MatchString(line) {
			return true
		}
		if again.MatchString(line) {
			return false
		}
	}
	return false
}

// afterCall is what follows a call, given what stands behind its opening bracket.
func afterCall(rest string) string {
	if _, after, closed := lang.Closed("(" + rest); closed {
		return after
	}
	return ""
}
