package manifest

import (
	"strings"

	"delegate/conflict/code"
)

// readPackage reads a package.json or composer.json, which has an object of requirements for each group.
func readPackage(r *reading) {
	for _, t := range r.fields(r.root) {
		switch t.name {
		case "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require",
			"require-dev":
			for _, d := range r.fields(t) {
				r.Add(code.Dependency{Name: d.name, Version: r.text(d), Line: d.line})
			}
		}
	}
}

// readPackageLock reads npm's lock file. Its first version has a tree of "dependencies", its third a list of
// "packages" by the folder into which they go, and its second both.
func readPackageLock(r *reading) {
	for _, p := range r.fields(r.root.field("packages")) {
		// Folders outside of all node_modules are the project's own packages,
		// those that others use have a link in node_modules as well.
		const modules = "node_modules/"
		if at := strings.LastIndex(p.name, modules); at >= 0 {
			r.fields(p)
			r.Add(code.Dependency{Name: p.name[at+len(modules):], Version: r.text(p.field("version")), Line: p.line})
		}
	}
	if r.Dependencies == nil {
		r.branch(r.root)
	}
	r.Dependencies = onceEach(r.Dependencies)
}

// branch takes the packages below one of the tree.
func (r *reading) branch(above *item) {
	for _, p := range r.fields(above.field("dependencies")) {
		r.fields(p)
		r.Add(code.Dependency{Name: p.name, Version: r.text(p.field("version")), Line: p.line})
		r.branch(p)
	}
}
