package manifest

import (
	"cmp"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// readPyproject reads what the standards say about dependencies, and what Poetry and uv say beside them.
func readPyproject(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Python}
	root, err := parseTOML(data)
	if err != nil {
		return f, err
	}
	f.Name = pythonName(cmp.Or(root.value("project", "name"), root.value("tool", "poetry", "name")))
	if version := root.field("project", "requires-python"); version != nil {
		f.Add("", code.Dependency{Name: "python", Version: version.text, Line: version.line})
	}
	lists := []groupItem{
		{"", root.field("project", "dependencies")},
		{"build", root.field("build-system", "requires")},
		{"dev", root.field("tool", "uv", "dev-dependencies")},
	}
	for _, path := range [][]string{{"project", "optional-dependencies"}, {"dependency-groups"}} {
		groups, err := root.field(path...).fields()
		if err != nil {
			return f, err
		}
		for _, g := range groups {
			lists = append(lists, groupItem{g.name, g})
		}
	}
	for _, l := range lists {
		if err := addRequirements(&f, l); err != nil {
			return f, err
		}
	}
	return f, addPoetry(&f, root.field("tool", "poetry"))
}

// addRequirements adds a list of requirements. A table in it includes another group of the same file.
func addRequirements(f *code.Manifest, list groupItem) error {
	all, err := list.elements()
	for _, e := range all {
		if e.kind == tableItem {
			continue
		}
		d, ok := requirement(e.text)
		if e.kind != textItem || !ok {
			return faultAt(e.line, "%q is no requirement", e.text)
		}
		d.Line = e.line
		f.Add(list.group, d)
	}
	return err
}

func addPoetry(f *code.Manifest, tool *item) error {
	groups, err := tool.field("group").fields()
	if err != nil {
		return err
	}
	tables := []groupItem{{"", tool.field("dependencies")}, {"dev", tool.field("dev-dependencies")}}
	for _, g := range groups {
		tables = append(tables, groupItem{g.name, g.field("dependencies")})
	}
	return addTables(f, tables)
}

// readPipfile takes each table for a category of packages that has none of the names that mean something else.
func readPipfile(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Python}
	root, err := parseTOML(data)
	if err != nil {
		return f, err
	}
	var tables []groupItem
	for _, t := range root.items {
		switch t.name {
		case "packages":
			tables = append(tables, groupItem{"", t})
		case "dev-packages":
			tables = append(tables, groupItem{"dev", t})
		case "requires":
			if version := cmp.Or(t.value("python_full_version"), t.value("python_version")); version != "" {
				f.Add("", code.Dependency{Name: "python", Version: version, Line: t.line})
			}
		case "source", "scripts", "pipenv":
		default:
			tables = append(tables, groupItem{t.name, t})
		}
	}
	return f, addTables(&f, tables)
}

func readPipfileLock(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Python, Lock: true}
	r, err := newJSONReader(data)
	if err != nil {
		return f, err
	}
	return f, r.object(func(group string, _ int) error {
		switch group {
		case "_meta":
			return r.skip()
		case "default":
			group = ""
		case "develop":
			group = "dev"
		}
		return r.object(func(name string, line int) error {
			var p struct{ Version, Ref string }
			err := r.take(&p)
			version := cmp.Or(strings.TrimPrefix(p.Version, "=="), p.Ref)
			f.Add(group, code.Dependency{Name: pythonName(name), Version: version, Line: line})
			return err
		})
	})
}

// readPythonLock reads the lock files of Poetry and uv, which differ in what they say beside name and version.
func readPythonLock(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Python, Lock: true}
	root, err := parseTOML(data, "package", "name", "version", "category", "groups", "optional",
		"source", "type", "virtual", "editable", "directory")
	if err != nil {
		return f, err
	}
	packages, err := root.field("package").elements()
	for _, p := range packages {
		name := pythonName(p.value("name"))
		folder := cmp.Or(p.value("source", "virtual"), p.value("source", "editable"), p.value("source", "directory"))
		if folder == "." {
			f.Name = name
			continue
		}
		group := poetryGroup(p)
		if folder != "" || p.value("source", "type") == "directory" {
			group = "local"
		}
		f.Add(group, code.Dependency{Name: name, Version: p.value("version"), Line: p.line})
	}
	return f, err
}

// poetryGroup is the group of a locked package: the main one if it is in several.
func poetryGroup(p *item) string {
	group := p.value("category")
	if groups := p.field("groups"); groups != nil && len(groups.items) > 0 {
		group = groups.items[0].text
		if slices.ContainsFunc(groups.items, func(g *item) bool { return g.text == "main" }) {
			group = ""
		}
	}
	switch {
	case group != "" && group != "main":
		return group
	case p.is("optional"):
		return "optional"
	}
	return ""
}
