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
		Imported: lang.Imported{Reaches: reaches, Keys: lang.StemKeys},
		Visible: lang.Visible{
			Scope: lang.Everywhere, BareMembers: true, Protected: true, PrivateInherited: true, Excludes: excludes,
		},
		Checks: lang.Checks{Matters: lang.OtherSort, FieldReaders: true},
	}}
}

func reaches(imp code.Import, _ string, t lang.Target) (inside string, ok bool) {
	return code.All, lang.EndsWith(strings.TrimLeft(path.Clean(imp.Module), "./")+".rb", t.Path)
}

// excludes: types are opened again, and so are methods outside of them in other files.
func excludes(a, b lang.Placed) bool {
	return a.Callable() && (a.Container != "" || a.File == b.File)
}
