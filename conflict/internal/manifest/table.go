package manifest

import (
	"cmp"
	"strings"

	"delegate/conflict/code"
)

// groupItem is an item that holds the dependencies of a group.
type groupItem struct {
	group string
	*item
}

// addTables adds tables of requirements by name, as Cargo, Poetry and Pipenv have them.
func addTables(f *code.Manifest, all []groupItem) error {
	for _, t := range all {
		entries, err := t.fields()
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := addEntry(f, t.group, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// addEntry adds what a name requires: a version, a table that says more, or a list of them for several environments.
func addEntry(f *code.Manifest, group string, e *item) error {
	d := code.Dependency{Name: e.name, Line: e.line}
	if f.Ecosystem == Python {
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
			if err := addEntry(f, group, one); err != nil {
				return err
			}
		}
		return nil
	default:
		return faultAt(e.line, "%q is neither a version nor a table", e.name)
	}
	f.Add(group, d)
	return nil
}

// specifier puts what a table requires into one text.
func specifier(e *item) string {
	source := cmp.Or(e.value("git"), e.value("path"), e.value("url"), e.value("file"))
	if revision := cmp.Or(e.value("rev"), e.value("tag"), e.value("branch"), e.value("ref")); revision != "" {
		source += "#" + revision
	}
	version := strings.TrimSpace(e.value("version") + " " + source)
	if renamed := e.value("package"); renamed != "" {
		return strings.TrimSuffix(renamed+"@"+version, "@")
	}
	return version
}
