// Package ruby reads Ruby and knows the rules of the language.
package ruby

import (
	"path"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is Ruby.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Ruby, Endings: []string{".rb"}, Parse: parser(), Ecosystem: "Ruby",
		Traits:   lang.BareMembers | lang.Protected | lang.PrivateInherited | lang.FieldReaders | lang.KeyedResults,
		Comment:  "#",
		Imported: lang.Imported{Reaches: reaches, Keys: lang.StemKeys},
		Visible: lang.Visible{
			Scope: lang.Everywhere, Excludes: excludes,
			AnyMember: []string{"method_missing", "const_missing", "define_method"},
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`^\s*rescue\b`), Matters: lang.OtherSort,
			Unpacking: lang.Unpacking{Gives: gives, Takes: lang.TakenBy(takes)}},
	}}
}

func reaches(imp code.Import, _ string, t lang.Target) (inside string, ok bool) {
	return code.All, lang.EndsWith(strings.TrimLeft(path.Clean(imp.Module), "./")+".rb", t.Path)
}

// excludes: types are opened again, though not with another base, and so are methods outside of them in other files.
// A type and its values have their methods apart.
func excludes(a, b lang.Placed) bool {
	if a.Kind == code.Class && b.Kind == code.Class {
		return len(a.Bases) > 0 && len(b.Bases) > 0 && a.Bases[0] != b.Bases[0]
	}
	return a.Callable() && a.Static == b.Static && (a.Container != "" || a.File == b.File)
}
