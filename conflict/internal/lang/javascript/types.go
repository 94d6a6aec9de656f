//go:build cgo

package javascript

import (
	"strings"

	"delegate/conflict/internal/sitter"
)

// bare names the type that an annotation is about: C for C<T>, C | null and Promise<C>. A union
// of several types has none. A type that is written out in place is no named one for certain, and
// is told as it stands.
func bare(t string) string {
	t = strings.TrimSuffix(t, "?")
	if inPlace(t) {
		return short(t)
	}
	if strings.ContainsAny(t, "({=[&\"'") {
		return ""
	}
	named := strings.TrimPrefix(sitter.OnlyOf(t, "null", "undefined", ""), "readonly ")
	if named == "any" || named == "unknown" {
		return ""
	}
	if inside, found := strings.CutPrefix(named, "Promise<"); found {
		named = strings.TrimSuffix(inside, ">")
	}
	named, _, _ = strings.Cut(named, "<")
	return named
}

// longestInPlace is how many bytes of a type that is written out in place are told.
const longestInPlace = 60

// short is the begin of a type's text, which ends before a dot or a backslash so that it cannot be taken for a path.
func short(t string) string {
	if i := strings.IndexAny(t, `.\`); i > 0 {
		t = t[:i]
	}
	if len(t) > longestInPlace {
		t = strings.ToValidUTF8(t[:longestInPlace], "")
	}
	return t
}

// inPlace reports whether all alternatives of a type are objects, functions, tuples or literals,
// none of which is a class.
func inPlace(t string) bool {
	found := false
	for rest := strings.TrimSpace(t); rest != ""; {
		end := 0
		switch first := rest[0]; {
		case first == '(':
			end = closing(rest)
			return end > 0 && strings.HasPrefix(strings.TrimSpace(rest[end:]), "=>")
		case first == '{' && isMapped(rest):
			return false
		case first == '{', first == '[', strings.IndexByte("\"'`", first) >= 0:
			end, found = closing(rest), true
		case first == '|':
			end = 1
		default:
			one, _, _ := strings.Cut(rest, "|")
			if one = strings.TrimSpace(one); one == "null" || one == "undefined" {
				end = len(one)
			}
		}
		if end == 0 {
			return false
		}
		rest = strings.TrimSpace(rest[end:])
		if rest != "" && rest[0] != '|' && end > 1 {
			return false // a part of what has been written out, or more than that
		}
	}
	return found
}

// isMapped reports whether an object type takes its members from another: { [K in keyof T]: … }.
func isMapped(t string) bool {
	inside, _, _ := strings.Cut(t, ":")
	return strings.Contains(inside, "[") && strings.Contains(inside, " in ")
}

// closing gives the place behind what a text begins with, a string or something in brackets; 0 if that does not end.
func closing(t string) int {
	depth, quote := 0, byte(0)
	for i := range len(t) {
		switch c := t[i]; {
		case quote != 0:
			if c == quote && t[i-1] != '\\' {
				quote = 0
			}
		case strings.IndexByte("\"'`", c) >= 0:
			quote = c
		case strings.IndexByte("({[", c) >= 0:
			depth++
		case strings.IndexByte(")}]", c) >= 0:
			depth--
		}
		if depth == 0 && quote == 0 {
			return i + 1
		}
	}
	return 0
}
