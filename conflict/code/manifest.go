package code

// Ecosystem is a family of packages that require each other.
type Ecosystem string

// Dependency is one requirement or one locked version.
//
// The language itself counts as one where a file names its version:
// "go" and "toolchain", "python", "ruby", "php" with its "ext-…".
type Dependency struct {
	// Name is the package in the form in which the ecosystem compares names: Python's normalised,
	// PHP's in lower case, Maven's as "group:artifact", others as written. A renamed package goes
	// by the name that the project's code imports.
	Name string
	// Version is the requirement as written, such as "^1.2", or the locked version; "" if none is given.
	// A source is part of it, behind the version if there is one: a folder, or a URL as "URL#revision".
	// Of a renamed package it is "package@version", of a Go replacement "v1.2.3 => path v1.2.4".
	Version string
	// Group is "" for what the project needs when it runs. Otherwise it is the name that the file gives to the group:
	// an extra, a scope, a Gemfile's groups with commas between them. What files express by other means than a name is
	// "dev", "peer", "optional", "build", or
	//   - "indirect" and "replace": Go's // indirect and replace directives
	//   - "nested": an npm package that only those packages see in whose folder it lies
	//   - "local": a locked package that lies in the repository itself
	//   - "workspace": what Cargo's members may refer to
	//   - "parent" and "managed": Maven's parent and its dependencyManagement
	//   - "constraint": a version for the case that something else requires the package
	Group string
	// Line is where the entry begins, from 1.
	Line int
}

// Manifest is what one manifest or lock file tells.
type Manifest struct {
	Ecosystem Ecosystem
	// Lock files give exact versions, and they list what the dependencies depend on in turn.
	Lock bool
	// Name is what the package calls itself (module path, npm name, crate, "group:artifact"), "" if
	// the file does not say.
	Name string
	// Own is the version that the package gives to itself, "" if the file does not say.
	Own string
	// Dependencies are in file order. What a manifest requires twice is there twice.
	// A locked npm package is there once for each of its versions.
	Dependencies []Dependency
}

// Add appends a dependency of a group, "" for none.
func (m *Manifest) Add(group string, d Dependency) {
	d.Group = group
	m.Dependencies = append(m.Dependencies, d)
}
