package rust

import (
	"regexp"
	"strings"

	"delegate/internal/lazyregexp"
)

// copies is the first of the lines, from 0, that needs a variable's value to be copied where it is given away: what a
// reference leads to, or a value that was given away before. -1 if none does for sure.
func copies(lines []string, name string, borrowed bool) int {
	quoted := regexp.QuoteMeta(name)
	// as a whole argument, a whole value, or a whole result
	given := regexp.MustCompile(`(?:[(,=]\s*|[^:]:\s+|\breturn\s+)` + quoted + `\s*(?:[,);]|$)`)
	if borrowed {
		given = regexp.MustCompile(`(?:[(,=]\s*|[^:]:\s+|\breturn\s+)\*` + quoted + `\s*(?:[,);]|$)`)
	}
	before := 0
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "//")
		switch {
		case i == 0 || inMacro.MatchString(line):
			continue // its parameters, or what a macro takes by reference
		case forks.MatchString(line), strings.Contains(line, "let "+name+" "),
			strings.Contains(line, "let mut "+name+" "):
			before = 0
		}
		// a bracket between two arguments belongs to both
		n := len(given.FindAllString(strings.ReplaceAll(line, ",", ",,"), -1))
		if borrowed && n > 0 || before+n > 1 {
			return i
		}
		before += n
	}
	return -1
}

var (
	inMacro = lazyregexp.New(`\w!\s*[(\[{]`)
	// what is on the one side of these is not always followed by the other
	forks = lazyregexp.New(`\breturn\b|\belse\b|=>|\bbreak\b|\bcontinue\b|\|\s*\||\bif\b|\bmatch\b`)
)
