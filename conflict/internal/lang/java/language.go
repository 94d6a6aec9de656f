// Package java reads Java and knows the rules of the language.
package java

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// matters reports whether a result is another one than the library makes from the former, by whose name it goes: an
// ArrayList is a List.
func matters(old, new string) bool {
	was, of, _ := strings.Cut(old, "<")
	is, with, _ := strings.Cut(new, "<")
	switch was {
	case "List", "Map", "Set", "Queue", "Deque":
		return of != with || !strings.HasSuffix(is, was)
	case "Collection", "Iterable":
		return of != with || is != "List" && is != "Set" && is != "Collection"
	}
	return true
}

// Languages is Java.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Java, Endings: []string{".java"}, Parse: parser(), Ecosystem: "Maven",
		Traits: lang.PackageScope | lang.FullNames | lang.BareMembers | lang.CallsBase | lang.Typed |
			lang.Exhaustive | lang.BareLabels | lang.FunctionalInterfaces,
		Imported: lang.Imported{Reaches: lang.PackageReaches, Open: lang.TypeFile},
		Visible: lang.Visible{
			Scope: lang.ByPackage, Excludes: lang.Overloaded,
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`\bcatch\s*\(`), Matters: matters},
	}}
}
