// Package csharp reads C# and knows the rules of the language.
package csharp

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is C#.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.CSharp, Endings: []string{".cs"}, Parse: parser(), Ecosystem: "C#",
		Traits: lang.PackageScope | lang.FullNames | lang.BareMembers | lang.Nested |
			lang.Protected | lang.Setters | lang.Hides | lang.CallsBase | lang.Typed,
		Imported: lang.Imported{
			Reaches: reaches, Open: lang.TypeFile,
			// Where others say what holds for all of a project is not looked for.
			Global: []string{"GlobalUsings.cs", "Usings.cs", "Imports.cs"},
		},
		Visible: lang.Visible{
			Scope:    lang.ByPackage,
			Excludes: lang.Overloaded,
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`\bcatch\b`), NamesTypeArguments: func(code.Use) bool { return true }},
		Words:  lang.Words{Package: "namespace"},
	}}
}

// reaches is that of packages; a mere using takes all names of its namespace.
func reaches(imp code.Import, from string, t lang.Target) (inside string, ok bool) {
	inside, ok = lang.PackageReaches(imp, from, t)
	if ok && inside == "" && imp.Name == "" {
		return code.All, true
	}
	return inside, ok
}
