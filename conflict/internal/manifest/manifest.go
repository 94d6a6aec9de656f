// Package manifest says what a project depends on, by its manifests and lock files.
//
// It owns the decision what a dependency is in each of them and which imports come from it.
// It looks at one file at a time, by its text alone:
// nothing is fetched, no requirement is resolved, and no other file is followed.
package manifest

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Ecosystem is a family of packages that require each other.
type Ecosystem string

// The ecosystems whose files are read.
const (
	Go     Ecosystem = "Go"
	NPM    Ecosystem = "npm"
	Python Ecosystem = "Python"
	Rust   Ecosystem = "Rust"
	Maven  Ecosystem = "Maven"
	Ruby   Ecosystem = "Ruby"
	PHP    Ecosystem = "PHP"
)

// Dependency is one requirement or one locked version.
//
// The language itself counts as one where a file names its version:
// "go" and "toolchain", "python", "ruby", "php" with its "ext-…".
type Dependency struct {
	// Name is the package in the form in which the ecosystem compares names: Python's normalised, PHP's in lower case,
	// Maven's as "group:artifact", others as written.
	// A renamed package goes by the name that the project's code imports.
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

// File is what one manifest or lock file tells.
type File struct {
	Ecosystem Ecosystem
	// Lock files give exact versions, and they list what the dependencies depend on in turn.
	Lock bool
	// Name is what the package calls itself (module path, npm name, crate, "group:artifact"), "" if
	// the file does not say.
	Name string
	// Dependencies are in file order. What a manifest requires twice is there twice.
	// A locked npm package is there once for each of its versions.
	Dependencies []Dependency
}

// Fault is the place at which a file is not what its name says. Every error about a file's text wraps one.
type Fault struct {
	Line   int // from 1
	Reason string
}

func (f Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// faultAt makes a Fault. A reason can quote a line of any length, which nobody would read to its end.
func faultAt(line int, format string, args ...any) error {
	const longest = 200
	reason := fmt.Sprintf(format, args...)
	if len(reason) > longest {
		reason = strings.ToValidUTF8(reason[:longest], "") + "…"
	}
	return Fault{Line: line, Reason: reason}
}

// format reads the text of one kind of file.
type format func(data []byte) (File, error)

// formatOf returns nil for files that are neither manifests nor lock files.
func formatOf(name string) format {
	switch name {
	case "go.mod":
		return readGoMod
	case "package.json":
		return readPackageJSON
	case "package-lock.json", "npm-shrinkwrap.json":
		return readPackageLock
	case "yarn.lock":
		return readYarnLock
	case "pnpm-lock.yaml":
		return readPnpmLock
	case "pyproject.toml":
		return readPyproject
	case "poetry.lock", "uv.lock":
		return readPythonLock
	case "Pipfile":
		return readPipfile
	case "Pipfile.lock":
		return readPipfileLock
	case "Cargo.toml":
		return readCargo
	case "Cargo.lock":
		return readCargoLock
	case "pom.xml":
		return readPom
	case "Gemfile":
		return readGemfile
	case "Gemfile.lock":
		return readGemfileLock
	case "composer.json":
		return readComposer
	case "composer.lock":
		return readComposerLock
	}
	return requirementsFormat(name)
}

// requirementsFormat knows pip's files, whose names are a habit: requirements-dev.txt,
// test-requirements.txt, constraints.txt.
func requirementsFormat(name string) format {
	stem, ok := strings.CutSuffix(name, ".txt")
	if !ok {
		stem, ok = strings.CutSuffix(name, ".in") // what pip-compile reads
	}
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(stem, "requirements"), strings.HasSuffix(stem, "-requirements"),
		strings.HasSuffix(stem, "_requirements"):
		return readRequirements
	case strings.HasPrefix(stem, "constraints"):
		return readConstraints
	}
	return nil
}

// IsManifest reports whether Parse reads the file, by the last element of its path, which has slashes.
func IsManifest(file string) bool { return formatOf(path.Base(file)) != nil }

// Parse reads a manifest or lock file; the last element of its path, which has slashes, says which kind.
// A byte order mark is skipped, and lines end in LF or CRLF.
// The error wraps a Fault if the text is not what the name says, and then the File is the zero value.
func Parse(file string, data []byte) (File, error) {
	read := formatOf(path.Base(file))
	if read == nil {
		return File{}, fmt.Errorf("parse %q: not the name of a manifest", file)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var f File
	err := encoding(file, data)
	if err == nil {
		f, err = read(data)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return File{}, fmt.Errorf("parse %q: %w", file, err)
	}
	slices.SortStableFunc(f.Dependencies, func(a, b Dependency) int { return a.Line - b.Line })
	return f, nil
}

func (f File) check() error {
	for _, d := range f.Dependencies {
		if d.Name == "" {
			return faultAt(d.Line, "a dependency has no name")
		}
	}
	return nil
}

// add appends a dependency that belongs to no group.
func (f *File) add(line int, name, version string) {
	f.Dependencies = append(f.Dependencies, Dependency{Name: name, Version: version, Line: line})
}

// addTo appends a dependency of the group.
func (f *File) addTo(group string, d Dependency) {
	d.Group = group
	f.Dependencies = append(f.Dependencies, d)
}

// onceEach keeps one entry for each name and version, an ungrouped one before others.
func onceEach(all []Dependency) []Dependency {
	type key struct{ name, version string }
	best := make(map[key]int, len(all))
	for i, d := range all {
		k := key{d.Name, d.Version}
		if first, seen := best[k]; !seen || all[first].Group != "" && d.Group == "" {
			best[k] = i
		}
	}
	var kept []Dependency
	for i, d := range all {
		if best[key{d.Name, d.Version}] == i {
			kept = append(kept, d)
		}
	}
	return kept
}

// encoding refuses texts that are not UTF-8. XML says itself what it is written in.
func encoding(file string, data []byte) error {
	if path.Ext(file) == ".xml" || utf8.Valid(data) {
		return nil
	}
	line := 1
	for text := range bytes.Lines(data) {
		if !utf8.Valid(text) {
			break
		}
		line++
	}
	return faultAt(line, "not UTF-8 text")
}

// lineCounter turns growing offsets into lines without counting any line twice.
type lineCounter struct {
	data   []byte
	offset int
	breaks int // before offset
}

// at returns the line of an offset, from 1. An offset before the one asked for last counts as that.
func (c *lineCounter) at(offset int) int {
	offset = max(c.offset, min(offset, len(c.data)))
	c.breaks += bytes.Count(c.data[c.offset:offset], []byte("\n"))
	c.offset = offset
	return c.breaks + 1
}
