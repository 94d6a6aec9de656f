package manifest

import (
	"cmp"

	"delegate/conflict/code"
)

// readPyproject reads what the standards say about dependencies, and what Poetry and uv say besides.
func readPyproject(r *reading) {
	if version := r.root.field("project", "requires-python"); version != nil {
		r.Add(code.Dependency{Name: "python", Version: version.text, Line: version.line})
	}
	r.addRequirements(r.root.field("project", "dependencies"))
	r.addRequirements(r.root.field("build-system", "requires"))
	r.addRequirements(r.root.field("tool", "uv", "dev-dependencies"))
	for _, path := range [][]string{{"project", "optional-dependencies"}, {"dependency-groups"}} {
		for _, g := range r.fields(r.root.field(path...)) {
			r.addRequirements(g)
		}
	}
	poetry := r.root.field("tool", "poetry")
	r.addTable(poetry.field("dependencies"))
	r.addTable(poetry.field("dev-dependencies"))
	for _, g := range r.fields(poetry.field("group")) {
		r.addTable(g.field("dependencies"))
	}
}

// addRequirements adds a list of requirements. A table in it includes another group of the same file.
func (r *reading) addRequirements(list *item) {
	for _, e := range r.elements(list) {
		if e.kind == tableItem {
			continue
		}
		d, ok := requirement(e.text)
		if e.kind != textItem || !ok {
			r.fail(e.line, "%q is no requirement", e.text)
		}
		d.Line = e.line
		r.Add(d)
	}
}

// readPythonLock reads the lock files of Poetry and uv, which differ in what they say but for name and version.
func readPythonLock(r *reading) {
	for _, p := range r.elements(r.root.field("package")) {
		source := p.field("source")
		if cmp.Or(source.textAt("virtual"), source.textAt("editable"), source.textAt("directory")) != "." {
			r.Add(code.Dependency{Name: pythonName(p.textAt("name")), Version: p.textAt("version"), Line: p.line})
		}
	}
}
