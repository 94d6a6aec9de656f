package manifest

import (
	"cmp"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// readPyproject reads what the standards say about dependencies, and what Poetry and uv say besides.
func readPyproject(r *reading) {
	r.Name = pythonName(cmp.Or(r.root.textAt("project", "name"), r.root.textAt("tool", "poetry", "name")))
	r.Own = cmp.Or(r.root.textAt("project", "version"), r.root.textAt("tool", "poetry", "version"))
	if version := r.root.field("project", "requires-python"); version != nil {
		r.Add("", code.Dependency{Name: "python", Version: version.text, Line: version.line})
	}
	r.addRequirements("", r.root.field("project", "dependencies"))
	r.addRequirements("build", r.root.field("build-system", "requires"))
	r.addRequirements("dev", r.root.field("tool", "uv", "dev-dependencies"))
	for _, path := range [][]string{{"project", "optional-dependencies"}, {"dependency-groups"}} {
		for _, g := range r.fields(r.root.field(path...)) {
			r.addRequirements(g.name, g)
		}
	}
	poetry := r.root.field("tool", "poetry")
	r.addTable("", poetry.field("dependencies"))
	r.addTable("dev", poetry.field("dev-dependencies"))
	for _, g := range r.fields(poetry.field("group")) {
		r.addTable(g.name, g.field("dependencies"))
	}
}

// addRequirements adds a list of requirements. A table in it includes another group of the same file.
func (r *reading) addRequirements(group string, list *item) {
	for _, e := range r.elements(list) {
		if e.kind == tableItem {
			continue
		}
		d, ok := requirement(e.text)
		if e.kind != textItem || !ok {
			r.fail(e.line, "%q is no requirement", e.text)
		}
		d.Line = e.line
		r.Add(group, d)
	}
}

// readPipfile takes each table for a category of packages that has none of the names that mean something else.
func readPipfile(r *reading) {
	for _, t := range r.root.items {
		switch t.name {
		case "packages":
			r.addTable("", t)
		case "dev-packages":
			r.addTable("dev", t)
		case "requires":
			if version := cmp.Or(t.textAt("python_full_version"), t.textAt("python_version")); version != "" {
				r.Add("", code.Dependency{Name: "python", Version: version, Line: t.line})
			}
		case "source", "scripts", "pipenv":
		default:
			r.addTable(t.name, t)
		}
	}
}

func readPipfileLock(r *reading) {
	for _, t := range r.fields(r.root) {
		group := t.name
		switch group {
		case "_meta":
			continue
		case "default":
			group = ""
		case "develop":
			group = "dev"
		}
		for _, p := range r.fields(t) {
			r.fields(p)
			version := cmp.Or(strings.TrimPrefix(r.text(p.field("version")), "=="), r.text(p.field("ref")))
			r.Add(group, code.Dependency{Name: pythonName(p.name), Version: version, Line: p.line})
		}
	}
}

// readPythonLock reads the lock files of Poetry and uv, which differ in what they say but for name and version.
func readPythonLock(r *reading) {
	for _, p := range r.elements(r.root.field("package")) {
		name, source := pythonName(p.textAt("name")), p.field("source")
		folder := cmp.Or(source.textAt("virtual"), source.textAt("editable"), source.textAt("directory"))
		if folder == "." {
			r.Name = name
			continue
		}
		group := poetryGroup(p)
		if folder != "" || source.textAt("type") == "directory" {
			group = "local"
		}
		r.Add(group, code.Dependency{Name: name, Version: p.textAt("version"), Line: p.line})
	}
}

// poetryGroup is the group of a locked package: the main one if it is in several.
func poetryGroup(p *item) string {
	group := p.textAt("category")
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
