// Package python reads Python and knows the rules of the language.
package python

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// Languages is Python.
func Languages() []*lang.Language {
	return []*lang.Language{{
		Name: code.Python, Endings: []string{".py", ".pyi"}, Parse: parser(), Ecosystem: "Python",
		Traits:  lang.HandedOn | lang.KeyedResults,
		Comment: "#",
		Imported: lang.Imported{
			Reaches: reaches, Resolve: resolve, Hidden: hidden, SamePlace: samePlace, FrontFile: "__init__.py",
			Open:    func(imp code.Import, from, _, _ string) []string { return resolve(nil, from, imp) },
			Builtin: builtin,
		},
		Visible: lang.Visible{
			Scope:     func(file, _ string) string { return module(file) },
			AnyMember: []string{"__getattr__", "__getattribute__"},
			Answers:   answers,
		},
		Checks: lang.Checks{Nothing: lang.NullOr(`^\s*except\b`), Matters: lang.OtherSort,
			Unpacking: lang.Unpacking{Exact: true, Gives: gives, Takes: takes, BecomesTuple: becomesTuple}},
	}}
}

// module is a file's path as modules have it, with slashes.
func module(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file, ".pyi"), ".py"), "/__init__")
}

func dotted(name string) string { return strings.ReplaceAll(name, "/", ".") }

// reaches compares dotted modules. Where the search path begins is not known, so an absolute module
// may be the end of the target's.
func reaches(imp code.Import, from string, t lang.Target) (string, bool) {
	if isFixtures(imp) {
		around := path.Base(t.Path) == fixtures+".py" && slices.Contains(lang.Parents(from), path.Dir(t.Path))
		return imp.Member, around
	}
	whole, asked := dotted(module(t.Path)), imp.Module
	same := func(m string) bool { return m != "" && (whole == m || strings.HasSuffix(whole, "."+m)) }
	if rest := strings.TrimLeft(asked, "."); rest != asked {
		asked = strings.Trim(dotted(path.Clean(above(from, len(asked)-len(rest))))+"."+rest, ".")
		same = func(m string) bool { return whole == strings.Trim(m, ".") }
	}
	if same(asked) {
		return imp.Member, true
	}
	return "", imp.Member != "" && imp.Member != code.All && same(asked+"."+imp.Member)
}

// fixtures is the module in which pytest looks for what tests take by the names of their parameters: in each folder
// around the test, whether or not it is a package.
const fixtures = "conftest"

func isFixtures(imp code.Import) bool {
	return imp.Module == fixtures && imp.Member == code.All && imp.Guarded
}

// above is the folder so many levels above a file.
func above(file string, levels int) string {
	for range levels {
		file = path.Dir(file)
	}
	return file
}

// hidden reports an absolute import of a module inside of a package, where no search begins, or of
// one that lies at the root as well, which goes first.
func hidden(imp code.Import, file string, has func(string) bool) bool {
	asFile := strings.ReplaceAll(imp.Module, ".", "/")
	before, _, found := strings.Cut("/"+file, "/"+asFile)
	before = strings.TrimPrefix(before, "/")
	return !isFixtures(imp) && !strings.HasPrefix(imp.Module, ".") && found && before != "" &&
		(has(before+"/__init__.py") || has(asFile+".py") || has(asFile+"/__init__.py"))
}

// resolve gives the files that an import may lead to: from the folder of the importer for a relative
// one, else from any folder above it.
func resolve(_ lang.Tree, from string, imp code.Import) (all []string) {
	rest := strings.TrimLeft(imp.Module, ".")
	roots := lang.Parents(from)
	if dots := len(imp.Module) - len(rest); dots > 0 {
		roots = []string{above(from, dots)}
	}
	for _, root := range roots {
		whole := path.Join(root, strings.ReplaceAll(rest, ".", "/"))
		if imp.Member != "" && imp.Member != code.All {
			all = append(all, path.Join(whole, imp.Member)+".py")
		}
		all = append(all, whole+".py")
	}
	return all
}

func samePlace(file string) []string {
	whole := strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__")
	return []string{file, whole + ".py", whole + "/__init__.py"}
}

// builtin reports modules of Python's library that packages bring to older versions under the same names.
func builtin(module string) bool {
	root, _, _ := strings.Cut(module, ".")
	return slices.Contains([]string{"argparse", "asyncio", "configparser", "contextvars", "dataclasses", "enum",
		"graphlib", "importlib", "ipaddress", "pathlib", "selectors", "statistics", "tomllib", "typing", "unittest",
		"zoneinfo"}, root)
}
