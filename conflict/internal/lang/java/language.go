// Package java reads Java and knows the rules of the language.
package java

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is Java.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Java, Endings: []string{".java"}, Parse: parser(), Ecosystem: "Maven",
		Imported: lang.Imported{Reaches: lang.PackageReaches, Open: lang.TypeFile},
		Visible: lang.Visible{
			Scope: lang.ByPackage, PackageScope: true, FullNames: true, BareMembers: true, CallsBase: true,
			Excludes: lang.Overloaded,
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`\bcatch\s*\(`), Typed: true, Exhaustive: true, BareLabels: true, Annotating: annotating(),
			ReadOnlyResults: readOnly(),
			Bounding:        lang.Bounding{Of: bounds, Lacks: lang.LacksBase}},
	}}
}
