package plain

import (
	"path"
	"regexp"
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	decorates = lazyregexp.New(`^@(\w+)\(\s*["']([\w.:/-]+)["']\s*[,)]`)
	takenFrom = lazyregexp.New(`^from\s+([\w.]+)\s+import\s+([^#]+)`)
)

// ofDecorators notes the name that a decorator of Python is given, in case that its function keeps what is below it by
// that name.
func (r *reading) ofDecorators() {
	if path.Ext(r.name) != ".py" || r.text[0] != '@' {
		return
	}
	match := decorates.FindStringSubmatch(r.text)
	if match == nil || strings.Contains(match[1], "egister") {
		return
	}
	of, taken := r.taken[match[1]]
	if !taken {
		of = moduleName(r.name) + "." + match[1]
	}
	r.add(Entry{Role: Registration, Name: match[2], Within: "/ " + of, Keeper: of, receiver: match[1]})
}

// seeTaken keeps which functions a file of Python takes from which others, by their names in it.
func (r *reading) seeTaken() {
	match := takenFrom.FindStringSubmatch(r.text)
	if match == nil {
		return
	}
	if r.taken == nil {
		r.taken = map[string]string{}
	}
	for part := range strings.SplitSeq(match[2], ",") {
		name, alias, renamed := strings.Cut(strings.Trim(part, " ()"), " as ")
		if !renamed {
			alias = name
		}
		r.taken[strings.TrimSpace(alias)] = moduleName(strings.ReplaceAll(match[1], ".", "/")) + "." + name
	}
}

// KeepsByName reports whether a file of Python defines a keeper, and whether that keeps something by the first thing
// that it is given.
func KeepsByName(keeper, name, text string) (defines, keeps bool) {
	module, function, _ := strings.Cut(keeper, ".")
	if path.Ext(name) != ".py" || moduleName(name) != module {
		return false, false
	}
	begins := regexp.MustCompile(`(?m)^def ` + regexp.QuoteMeta(function) + `\(\s*(\w+)`)
	at := begins.FindStringSubmatchIndex(text)
	if at == nil {
		return false, false
	}
	body := text[at[1]:]
	if end := outdented.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	kept := regexp.MustCompile(`\w\[\s*` + text[at[2]:at[3]] + `\s*\]\s*=[^=]`)
	return true, kept.MatchString(body)
}

// outdented is where the text of a function at the top of a file has ended.
var outdented = lazyregexp.New(`\n[^\s)#]`)
