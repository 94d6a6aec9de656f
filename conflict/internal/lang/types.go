package lang

import (
	"slices"
	"strings"
	"unicode"
)

// withoutLifetimes takes Rust's lifetimes out of a type, which no caller writes.
func withoutLifetimes(typ string) string {
	for {
		i := strings.IndexByte(typ, '\'')
		if i < 0 {
			return typ
		}
		end := strings.IndexFunc(typ[i+1:], func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if end < 0 || typ[i+1+end] == '\'' {
			return typ // a literal, as in TypeScript
		}
		typ = typ[:i] + strings.TrimLeft(typ[i+1+end:], " ")
	}
}

// Plain is a type in the one of its spellings that all others are compared by: std::path::Path is Path.
func Plain(typ string) string {
	typ = withoutLifetimes(strings.ReplaceAll(typ, "interface{}", "any"))
	for {
		i := strings.Index(typ, "::")
		if i < 0 {
			return typ
		}
		start := strings.LastIndexFunc(typ[:i], func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) + 1
		typ = typ[:start] + typ[i+2:]
	}
}

// DemandsLess reports whether one of Go's interfaces for streams has only methods of another:
// io.Reader of io.ReadCloser.
func DemandsLess(typ, before string) bool {
	less, more := streamParts(typ), streamParts(before)
	return len(less) > 0 && !slices.ContainsFunc(less, func(part string) bool { return !slices.Contains(more, part) })
}

// streamParts are what an interface of package io can do by its name, none for other types.
func streamParts(typ string) (parts []string) {
	rest, found := strings.CutPrefix(typ, "io.")
	for _, part := range []string{"Read", "Write", "Seek", "Close"} {
		if after, has := strings.CutPrefix(rest, part); has {
			rest, parts = after, append(parts, part)
		}
	}
	if !found || rest != "r" && rest != "er" {
		return nil
	}
	return parts
}

// WiderCollection reports whether one type of collections takes all values of another: Java's Iterable those of List,
// C#'s IEnumerable those of ICollection.
func WiderCollection(typ, before string) bool {
	wide, of, _ := strings.Cut(typ, "<")
	narrow, with, _ := strings.Cut(before, "<")
	const some = "? extends "
	if strings.TrimPrefix(of, some) != strings.TrimPrefix(with, some) ||
		strings.HasPrefix(with, "?") && !strings.HasPrefix(of, "?") {
		return false
	}
	return wide == narrow && of != with || slices.Contains(narrower[wide], narrow)
}

// narrower are, by a type of collections, those that are one too.
var narrower = map[string][]string{
	"Collection":  {"List", "Set", "Queue", "Deque", "ArrayList", "HashSet", "SortedSet"},
	"Iterable":    {"Collection", "List", "Set", "Queue", "Deque", "ArrayList", "HashSet", "SortedSet"},
	"List":        {"ArrayList", "LinkedList"},
	"Map":         {"HashMap", "TreeMap", "LinkedHashMap", "SortedMap"},
	"Set":         {"HashSet", "TreeSet", "LinkedHashSet", "SortedSet"},
	"ICollection": {"IList", "List", "ISet", "HashSet"},
	"IEnumerable": {"ICollection", "IList", "List", "ISet", "HashSet", "IReadOnlyList", "IReadOnlyCollection"},
	"IList":       {"List"},
}

// Among reports whether all alternatives of one union type are alternatives of another.
func Among(typ, union string) bool {
	theirs := Alternatives(union)
	return !slices.ContainsFunc(Alternatives(typ), func(a string) bool {
		return !slices.ContainsFunc(theirs, func(b string) bool { return Plain(a) == Plain(b) })
	})
}

// Alternatives are the members of a union type, or the type alone.
func Alternatives(typ string) []string {
	var all []string
	depth, start := 0, 0
	for i, r := range typ + "|" {
		switch {
		case strings.ContainsRune("([{<", r):
			depth++
		case strings.ContainsRune(")]}>", r) && !strings.HasSuffix(typ[:i], "="):
			depth--
		case r == '|' && depth <= 0:
			if part := strings.TrimSpace(typ[start:i]); part != "" {
				all = append(all, part)
			}
			start = i + 1
		}
	}
	return all
}

// OtherSort reports whether two annotations of a language that does not check them name different things,
// and not only one of them more exactly.
func OtherSort(old, new string) bool {
	a, _, _ := strings.Cut(old, "[")
	b, _, _ := strings.Cut(new, "[")
	vague := func(s string) bool {
		return s == "" || s == "None" || s == "Any" || s == "object" || s == "mixed" || strings.ContainsAny(s, "|?") ||
			strings.HasPrefix(s, "Optional") || strings.HasPrefix(s, "Union")
	}
	own := func(s string) bool { return s == "self" || s == "static" }
	return !vague(a) && !vague(b) && !strings.EqualFold(a, b) && !(own(a) && own(b))
}

// Common reports whether standard libraries give values a method of the name, so that it says nothing without a type.
func Common(name string) bool { return common[strings.ToLower(name)] }

var common = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`add all any append apply average call clear clone close concat contains copy count create
		decode delete each empty encode end endswith equals every exists extend fill filter find first
		flat_map flatmap flush foreach format get has hash include index indexof insert is_empty
		isempty items iter join keys last len length lines lower map match max merge min next open
		parse peek pop print push put read reduce reject remove replace reverse run save select set
		shift size skip slice some sort split start startswith stop strip substring sum swap take test
		to_s tolist tolower tostring toupper trim union update upper value values wait write zip`) {
		all[name] = true
	}
	return all
}()
