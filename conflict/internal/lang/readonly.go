package lang

import (
	"regexp"
	"strings"

	"delegate/internal/lazyregexp"
)

// ReadOnlyResults is how a language gives a collection that cannot be changed, under the type of one that can. The zero
// value has none.
type ReadOnlyResults struct {
	// Given matches a line that gives a collection which cannot be changed.
	Given *lazyregexp.Regexp
	// Constant matches the line of a constant that is such a collection. nil: nothing tells.
	Constant *lazyregexp.Regexp
	// Changes are the methods that change a collection, with bars between, Writes further ways to do it, as a pattern
	// in which NAME stands for the collection.
	Changes, Writes string
}

// Changed matches a line that changes the collection which an expression, given as a pattern, stands for.
func (f ReadOnlyResults) Changed(expression string) *regexp.Regexp {
	pattern := `(?:^|[^\w.])` + expression + `\.(?:` + f.Changes + `)\(`
	if f.Writes != "" {
		pattern += `|` + strings.ReplaceAll(f.Writes, "NAME", expression)
	}
	return regexp.MustCompile(pattern)
}
