package rust

import (
	"slices"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// arms are the patterns of a macro's rules, without their brackets; nil if not all of them can be read.
func arms(lines []string) (patterns []string) {
	whole := make([]string, len(lines))
	for i, line := range lines {
		whole[i], _, _ = strings.Cut(line, "//")
	}
	_, text, found := strings.Cut(strings.Join(whole, " "), "macro_rules!")
	open := strings.IndexAny(text, "{(")
	if !found || open < 0 {
		return nil
	}
	text, _, found = lang.ClosedQuoted(text[open:], `"`)
	for found && strings.TrimSpace(text) != "" {
		var pattern string
		if pattern, text, found = lang.ClosedQuoted(strings.TrimSpace(text), `"`); !found {
			return nil
		}
		if text, found = strings.CutPrefix(strings.TrimSpace(text), "=>"); !found {
			return nil
		}
		if _, text, found = lang.ClosedQuoted(strings.TrimSpace(text), `"`); !found {
			return nil
		}
		patterns = append(patterns, strings.TrimSpace(pattern))
		text = strings.TrimLeft(text, "; ")
	}
	return patterns
}

// lostArm reports whether a line uses a macro as one of its former rules takes it and none of the present ones.
func lostArm(old, new []string, line, name string) bool {
	before, after := arms(old), arms(new)
	_, behind, found := strings.Cut(line, name+"!")
	behind = strings.TrimSpace(behind)
	if !found || before == nil || after == nil || behind == "" || !strings.ContainsRune("([{", rune(behind[0])) {
		return false
	}
	text, _, closed := lang.ClosedQuoted(behind, `"`)
	if !closed {
		return false
	}
	args := lang.Comma(text)
	if last := len(args) - 1; args[last] == "" {
		args = args[:last]
	}
	takes := func(pattern string) (fits, sure bool) { return fitsArm(pattern, args) }
	once := slices.ContainsFunc(before, func(p string) bool {
		fits, sure := takes(p)
		return fits && sure
	})
	return once && !slices.ContainsFunc(after, func(p string) bool {
		fits, sure := takes(p)
		return fits || !sure
	})
}

var (
	repeated = lazyregexp.New(`\$\(([^()$]*\$\w+\s*:\s*\w+[^()$]*|\s*,\s*)\)\s*(,?)\s*([*+?])`)
	fragment = lazyregexp.New(`^\$\w+\s*:\s*(\w+)$`)
	labelled = lazyregexp.New(`^(\w+)\s*(=|:)\s*\$\w+\s*:\s*\w+$`)
	ident    = lazyregexp.New(`^[\pL_]\w*$`)
)

// fitsArm reports whether arguments with commas between fit the pattern of a rule; not sure if it has another form.
func fitsArm(pattern string, args []string) (fits, sure bool) {
	most, least, odd := 0, 0, false
	var places []string
	// what may come any number of times counts without its place
	rest := repeated.ReplaceAllStringFunc(pattern, func(part string) string {
		m := repeated.FindStringSubmatch(part)
		inside := strings.TrimSpace(m[1])
		switch {
		case inside == ",":
		case strings.Count(strings.Trim(inside, ", "), ",") > 0:
			odd = true
		case m[3] == "?":
			most++
		case m[3] == "+":
			least, most = least+1, 1<<20
		default:
			most = 1 << 20
		}
		return ""
	})
	if odd || strings.Contains(rest, "$(") || strings.ContainsAny(rest, ";") || strings.Contains(rest, "=>") {
		return false, false
	}
	for _, part := range lang.Comma(rest) {
		if part != "" {
			places = append(places, part)
		}
	}
	least, most = least+len(places), most+len(places)
	if len(args) < least || len(args) > most {
		return false, true
	}
	for i, place := range places {
		if i >= len(args) {
			break
		}
		m := fragment.FindStringSubmatch(place)
		named := labelled.FindStringSubmatch(place)
		switch {
		case m != nil && m[1] == "ident":
			fits = ident.MatchString(args[i])
		case m != nil:
			fits = true
		case named != nil:
			label, _, has := strings.Cut(args[i], named[2])
			fits = has && strings.TrimSpace(label) == named[1]
		case strings.Contains(place, "$"):
			return false, false
		default:
			fits = args[i] == place
		}
		if !fits {
			return false, true
		}
	}
	return true, true
}
