package code

// Ecosystem is the package ecosystem of a manifest: "Go", "npm", "Python", "Rust", "Maven", "Ruby" or "PHP".
type Ecosystem string

// Dependency is one required or locked package. The language itself is one too, if the file names its version:
// "go" and "toolchain", "python", "ruby", "php" with its "ext-…".
type Dependency struct {
	// Name is the package name in the form in which the ecosystem compares names: normalised for Python,
	// lower case for PHP, "group:artifact" for Maven, otherwise as written. For a renamed package it is
	// the name that the project's code imports.
	Name string
	// Version is the requirement as written, such as "^1.2", or the locked version; "" if none is given.
	// It includes the source, after the version if there is one: a folder, or a URL as "URL#revision".
	// For a renamed package it is "package@version", for a Go replacement "v1.2.3 => path v1.2.4".
	Version string
	// Group is "" for a package that the project needs at run time. Otherwise it is the name of the group in the file:
	// an extra, a scope, a Gemfile's groups separated by commas. If the file expresses the group without a name, it is
	// "dev", "peer", "optional", "build", or
	//   - "indirect" and "replace": Go's // indirect and replace directives
	//   - "nested": an npm package that is installed in the folder of other packages, for them alone
	//   - "local": a locked package that is in the repository itself
	//   - "workspace": a package that members of a Cargo workspace can refer to
	//   - "parent" and "managed": Maven's parent and its dependencyManagement
	//   - "constraint": a version that applies only if something else requires the package
	Group string
	// Line is the line on which the entry begins, from 1.
	Line int
}

// Manifest is a parsed manifest or lock file.
type Manifest struct {
	Ecosystem Ecosystem // decided by the name of the file
	// Lock means that the file is a lock file, which has exact versions and also lists indirect dependencies.
	Lock bool
	// Name is the name of the project's own package (module path, npm name, crate, "group:artifact"); "" if
	// the file does not have it.
	Name string
	// Own is the version of the project's own package; "" if the file does not have it.
	Own string
	// Dependencies are in the order of the file. A package that the file requires twice is there twice, and a locked
	// npm package once for each of its versions.
	Dependencies []Dependency
}

// Add sets the group of d and appends it to m.Dependencies.
func (m *Manifest) Add(group string, d Dependency) {
	d.Group = group
	m.Dependencies = append(m.Dependencies, d)
}
