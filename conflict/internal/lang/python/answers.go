package python

import (
	"regexp"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	// answerer is the first line of the function that a module answers with, and of it what the name is called.
	answerer = lazyregexp.New(`\bdef\s+__getattr__\(\s*(\w+)\s*[:,)]`)
	refuses  = lazyregexp.New(`^(\s*)raise\s+AttributeError\b`)
	tries    = lazyregexp.New(`^\s*try\s*:`)
	literal  = lazyregexp.New(`^[{(\["']`)
	table    = lazyregexp.New(`^([A-Za-z_]\w*)\s*:?\s*(?:$|and\b|or\b|#)`)
)

// answers reports whether the `__getattr__` of a module, by the lines of it and of the file, may answer for a name. It
// does not where it looks for its own names alone, by `==` or in what the file lists, refuses all others at its end,
// and the file has the name in no string.
func answers(function, file []string, name string) bool {
	start := slices.IndexFunc(function, answerer.MatchString)
	if start < 0 || slices.ContainsFunc(function, tries.MatchString) {
		return true
	}
	param := answerer.FindStringSubmatch(function[start])[1]
	last := len(function) - 1
	for last > start && strings.TrimSpace(function[last]) == "" {
		last--
	}
	end := refuses.FindStringSubmatch(function[last])
	if last == start || end == nil || slices.ContainsFunc(function[start+1:last], func(line string) bool {
		text := strings.TrimLeft(line, " \t")
		return text != "" && len(line)-len(text) <= len(end[1]) && strings.HasPrefix(text, "return")
	}) {
		return true
	}
	looks := regexp.MustCompile(`\b(?:if|elif)\s+` + param + `\s*(?:==|in\s+(.*))`)
	found := false
	for _, line := range function[start+1:] {
		at := looks.FindStringSubmatch(line)
		if at == nil {
			continue
		}
		found = true
		if at[1] == "" || literal.MatchString(at[1]) {
			continue
		}
		listed := table.FindStringSubmatch(at[1])
		if listed == nil || !slices.ContainsFunc(file, regexp.MustCompile(`^`+listed[1]+`\s*(?::[^=]*)?=[^=]`).MatchString) {
			return true
		}
	}
	word := regexp.MustCompile(`["'][^"']*\b` + regexp.QuoteMeta(name) + `\b`)
	return !found || slices.ContainsFunc(file, word.MatchString)
}
