package manifest

import (
	"cmp"
	"strings"

	"delegate/conflict/code"
)

func readCargo(r *reading) {
	r.Name, r.Own = r.root.textAt("package", "name"), r.root.textAt("package", "version")
	r.addTable("workspace", r.root.field("workspace", "dependencies"))
	for _, t := range append([]*item{r.root}, r.fields(r.root.field("target"))...) {
		r.addTable("", t.field("dependencies"))
		for _, group := range []string{"dev", "build"} {
			r.addTable(group, t.field(group+"-dependencies"))
			r.addTable(group, t.field(group+"_dependencies"))
		}
	}
}

func readCargoLock(r *reading) {
	for _, p := range r.elements(r.root.field("package")) {
		group := ""
		if p.field("source") == nil {
			group = "local"
		}
		r.Add(group, code.Dependency{Name: p.textAt("name"), Version: p.textAt("version"), Line: p.line})
	}
}

// addTable adds a table of requirements by name, as Cargo, Poetry and Pipenv have them.
func (r *reading) addTable(group string, table *item) {
	for _, e := range r.fields(table) {
		r.addEntry(group, e)
	}
}

// addEntry adds what a name requires: a version, a table that says more, or a list of them for several environments.
func (r *reading) addEntry(group string, e *item) {
	d := code.Dependency{Name: e.name, Line: e.line}
	if r.Ecosystem == Python {
		d.Name = pythonName(e.name)
	}
	switch e.kind {
	case textItem:
		d.Version = e.text
	case tableItem:
		d.Version = specifier(e)
		if group == "" && e.is("optional") {
			group = "optional"
		}
	case listItem:
		for _, one := range e.items {
			r.addEntry(group, one)
		}
		return
	default:
		r.fail(e.line, "%q is neither a version nor a table", e.name)
	}
	r.Add(group, d)
}

// specifier puts what a table requires into one text.
func specifier(e *item) string {
	source := cmp.Or(e.textAt("git"), e.textAt("path"), e.textAt("url"), e.textAt("file"))
	if revision := cmp.Or(e.textAt("rev"), e.textAt("tag"), e.textAt("branch"), e.textAt("ref")); revision != "" {
		source += "#" + revision
	}
	version := strings.TrimSpace(e.textAt("version") + " " + source)
	if renamed := e.textAt("package"); renamed != "" {
		return strings.TrimSuffix(renamed+"@"+version, "@")
	}
	return version
}
