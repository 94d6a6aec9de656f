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
		Traits: lang.PackageScope | lang.FullNames | lang.Protected | lang.Exhaustive |
			lang.KeyedResults | lang.TypedOverrides,
		Imported: lang.Imported{Reaches: reaches},
		Visible: lang.Visible{
			Scope: lang.ByPackage, Excludes: excludes,
			AnyMember: []string{"__call", "__callStatic", "__get"},
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`\bcatch\s*\(`), Matters: lang.OtherSort},
		Words:  lang.Words{Package: "namespace"},
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
