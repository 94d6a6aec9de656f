// Package golang reads Go with go/parser and knows the rules of the language.
package golang

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is Go.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Go, Endings: []string{".go"}, Parse: parse, Imports: readImports, Ecosystem: "Go",
		Traits:   lang.Folders | lang.Typed | lang.Checked | lang.Implicit | lang.ListsFields | lang.ErrorValues,
		Imported: lang.Imported{Reaches: reaches, Resolve: resolve, Keys: keys, Isolated: isTest, Unbuilt: unbuilt},
		Visible: lang.Visible{
			Scope:    func(file, pkg string) string { return path.Dir(file) + " " + pkg },
			Excludes: func(_, _ lang.Placed) bool { return true },
		},
		Checks: lang.Checks{
			Matters:            func(old, new string) bool { return !lang.DemandsLess(old, new) },
			NamesTypeArguments: func(code.Use) bool { return true },
			Literal:            lang.LiteralByPosition,
			Unpacking:          lang.Unpacking{Exact: true, Gives: gives, Takes: lang.TakenBy(takes)},
		},
		Words: lang.Words{Kinds: map[code.Kind]string{code.Class: "struct"}, Brackets: "[]"},
	}}
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// unbuilt reports files in folders that the go command leaves out of "./...".
func unbuilt(file string) bool {
	return slices.ContainsFunc(strings.Split(file, "/"), func(part string) bool {
		return part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")
	})
}

func reaches(imp code.Import, _ string, t lang.Target) (inside string, ok bool) {
	if t.ImportPath != "" {
		return imp.Member, imp.Module == t.ImportPath
	}
	dir := path.Dir(t.Path)
	return imp.Member, dir != "." && lang.EndsWith(dir, imp.Module)
}

// resolve gives the folder of an import of the importer's own module, or of one whose folder lies around it.
func resolve(in lang.Tree, from string, imp code.Import) []string {
	for _, dir := range lang.Parents(from) {
		if around := in.ImportPath(path.Join(dir, "go.mod")); around != "" {
			if rest, ok := strings.CutPrefix(imp.Module, around); ok && (rest == "" || rest[0] == '/') {
				return []string{path.Join(dir, strings.TrimPrefix(rest, "/"))}
			}
		}
	}
	return nil
}

func keys(_ string, imp code.Import) []string { return []string{path.Base(imp.Module)} }
