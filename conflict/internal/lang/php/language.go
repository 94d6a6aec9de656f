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
		Visible: lang.Visible{Scope: lang.ByPackage, PackageScope: true, FullNames: true, Protected: true,
			AnyMember: []string{"__call", "__callStatic", "__get"}},
		Checks: lang.Checks{Matters: lang.OtherSort},
		Words:  lang.Words{Package: "namespace"},
	}}
}

// reaches is that of packages, which PHP writes with backslashes.
func reaches(imp code.Import, from string, t lang.Target) (inside string, ok bool) {
	imp.Module = strings.Trim(strings.ReplaceAll(imp.Module, `\`, "."), ".")
	t.Package = strings.ReplaceAll(t.Package, `\`, ".")
	return lang.PackageReaches(imp, from, t)
}
