package manifest

import (
	"strings"

	"delegate/conflict/code"
)

// readGroups reads a manifest that is an object with an object of requirements for each group, by the group's key.
// form makes a name comparable.
func readGroups(form func(string) string, groups map[string]string) func(*reading) {
	return func(r *reading) {
		r.Name, r.Own = form(r.text(r.root.field("name"))), r.root.textAt("version")
		for _, t := range r.fields(r.root) {
			if group, known := groups[t.name]; known {
				r.addVersions(group, t, form)
			}
		}
	}
}

// addVersions adds a table of versions by name.
func (r *reading) addVersions(group string, table *item, form func(string) string) {
	for _, d := range r.fields(table) {
		r.Add(group, code.Dependency{Name: form(d.name), Version: r.text(d), Line: d.line})
	}
}

func readComposerLock(r *reading) {
	for _, key := range []string{"", "-dev"} {
		group := strings.TrimPrefix(key, "-")
		for _, p := range r.elements(r.root.field("packages" + key)) {
			r.fields(p)
			r.Add(group, code.Dependency{Name: strings.ToLower(r.text(p.field("name"))),
				Version: r.text(p.field("version")), Line: p.line})
		}
		r.addVersions(group, r.root.field("platform"+key), strings.ToLower)
	}
}

// readPackageLock reads npm's lock file. Its first version has a tree of "dependencies", its third a list of
// "packages" by the folder into which they go, and its second both.
func readPackageLock(r *reading) {
	r.Name = r.text(r.root.field("name"))
	for _, p := range r.fields(r.root.field("packages")) {
		// Folders outside of all node_modules are the project's own packages,
		// those that others use have a link in node_modules as well.
		const modules = "node_modules/"
		at := strings.LastIndex(p.name, modules)
		if at < 0 {
			continue
		}
		r.fields(p)
		group := npmGroup(p)
		switch {
		case at > 0:
			group = "nested"
		case p.is("link"):
			group = "local"
		case group == "" && p.is("devOptional"):
			group = "optional"
		case group == "" && p.is("peer"):
			group = "peer"
		}
		r.Add(group, code.Dependency{Name: p.name[at+len(modules):], Version: r.text(p.field("version")), Line: p.line})
	}
	if r.Dependencies == nil {
		r.branch(r.root, "")
	}
	r.Dependencies = onceEach(r.Dependencies)
}

func npmGroup(p *item) string {
	for _, group := range []string{"dev", "optional"} {
		if p.is(group) {
			return group
		}
	}
	return ""
}

// branch takes the packages below one of the tree.
func (r *reading) branch(above *item, group string) {
	for _, p := range r.fields(above.field("dependencies")) {
		own := group
		if own == "" {
			own = npmGroup(p)
		}
		r.fields(p)
		r.Add(own, code.Dependency{Name: p.name, Version: r.text(p.field("version")), Line: p.line})
		r.branch(p, "nested")
	}
}
