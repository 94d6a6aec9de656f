package code

// Ecosystem is the package ecosystem of a manifest: "Go", "npm", "Python", "Rust" or "PHP".
type Ecosystem string

// Dependency is one required or locked package. The language itself is one too, if the file names its version: "go" and
// "toolchain", "python".
type Dependency struct {
	// Name is the package name in the form in which the ecosystem compares names: normalised for Python, otherwise as
	// written. For a renamed package it is the name that the project's code imports.
	Name string
	// Version is the requirement as written, such as "^1.2", or the locked version; "" if none is given.
	// It includes the source, after the version if there is one: a folder, or a URL as "URL#revision".
	// For a renamed package it is "package@version", for a Go replacement "v1.2.3 => path v1.2.4".
	Version string
	// Indirect is set for what other requirements need: by go.mod's comments, and in pip's lists of constraints.
	Indirect bool
	// Line is the line on which the entry begins, from 1.
	Line int
}

// Manifest is a parsed manifest or lock file.
type Manifest struct {
	Ecosystem Ecosystem // decided by the name of the file
	// Lock means that the file is a lock file, which has exact versions and also lists indirect dependencies.
	Lock bool
	// Name is the path of a Go module; "" for others.
	Name string
	// Dependencies are in the order of the file. A package that the file requires twice is there twice, and a locked
	// npm package once for each of its versions.
	Dependencies []Dependency
}

// Add appends d to m.Dependencies.
func (m *Manifest) Add(d Dependency) { m.Dependencies = append(m.Dependencies, d) }
