// Package php reads PHP and knows the rules of the language.
package php

import (
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is PHP.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.PHP, Endings: []string{".php"}, Parse: parser(), Ecosystem: "PHP",
		Imported: lang.Imported{Reaches: reaches, Once: true},
		Visible: lang.Visible{
			Scope: lang.ByPackage, PackageScope: true, FullNames: true, Protected: true, Excludes: excludes,
			AnyMember: []string{"__call", "__callStatic", "__get"},
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`\bcatch\s*\(`), Matters: lang.OtherSort, Exhaustive: true,
			KeyedResults: true},
		Words: lang.Words{Package: "namespace"},
	}}
}

// nameless is what PHP calls classes without a name.
const nameless = "class@anonymous"

// excludes: several classes without a name have it.
func excludes(a, b lang.Placed) bool {
	return a.Kind != code.Module && !a.Partial && !(a.Overrides && b.Overrides) && !strings.Contains(a.Key(), nameless)
}

// reaches is that of packages, which PHP writes with backslashes.
func reaches(imp code.Import, from string, t lang.Target) (inside string, ok bool) {
	imp.Module = strings.Trim(strings.ReplaceAll(imp.Module, `\`, "."), ".")
	t.Package = strings.ReplaceAll(t.Package, `\`, ".")
	return lang.PackageReaches(imp, from, t)
}
