package manifest

import (
	"cmp"
	"strings"

	"delegate/conflict/code"
)

func readCargo(r *reading) {
	r.addTable(r.root.field("workspace", "dependencies"))
	for _, t := range append([]*item{r.root}, r.fields(r.root.field("target"))...) {
		for _, key := range []string{"dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies",
			"build_dependencies"} {
			r.addTable(t.field(key))
		}
	}
}

func readCargoLock(r *reading) {
	for _, p := range r.elements(r.root.field("package")) {
		r.Add(code.Dependency{Name: p.textAt("name"), Version: p.textAt("version"), Line: p.line})
	}
}

// addTable adds a table of requirements by name, as Cargo and Poetry have them.
func (r *reading) addTable(table *item) {
	for _, e := range r.fields(table) {
		r.addEntry(e)
	}
}

// addEntry adds what a name requires: a version, a table that says more, or a list of them for several environments.
func (r *reading) addEntry(e *item) {
	d := code.Dependency{Name: e.name, Line: e.line}
	if r.Ecosystem == Python {
		d.Name = pythonName(e.name)
	}
	switch e.kind {
	case textItem:
		d.Version = e.text
	case tableItem:
		d.Version = specifier(e)
	case listItem:
		for _, one := range e.items {
			r.addEntry(one)
		}
		return
	default:
		r.fail(e.line, "%q is neither a version nor a table", e.name)
	}
	r.Add(d)
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
