package lang

import (
	"slices"
	"strings"

	"delegate/conflict/code"
)

// Bounding is what a language lets type parameters demand of types.
type Bounding struct {
	// Of are the names in the bound of a type parameter, as written.
	Of func(bound string) []string
	// Lacks reports whether it is sure that a type does not have what a bound names.
	Lacks func(bound, typ string, in Types) bool
}

// Types is what a tree says of types.
type Types struct {
	// Named are all definitions of types by a name, parts of them included, and of their members. nil: there are none,
	// or not all that may be some could be looked at.
	Named func(name string) []code.Definition
	// Mentions reports whether a file of the language matches a pattern, or cannot be looked at.
	Mentions func(pattern string) bool
}

// most bounds how far bases are followed.
const mostBases = 20

// LacksBase reports whether a type says of itself what it is made from, and so do all of those, and a bound is none of
// them. The tree has to define the bound too, as other types may be made from it without a word.
func LacksBase(bound, typ string, in Types) bool {
	if !slices.ContainsFunc(in.Named(bound), func(d code.Definition) bool {
		return d.Name == bound && d.Kind.IsType()
	}) {
		return false
	}
	next, seen := []string{typ}, map[string]bool{}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if name == bound || len(seen) > mostBases {
			return false
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		known := false
		for _, d := range in.Named(name) {
			if d.Name != name || !d.Kind.IsType() {
				continue
			}
			known = known || d.Kind != code.Type
			for _, base := range d.Bases {
				next = append(next, base[strings.LastIndexByte(base, '.')+1:])
			}
		}
		if !known {
			return false
		}
	}
	return true
}
