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

	"delegate/conflict/code"
)

// The ecosystems whose files are read.
const (
	Go     code.Ecosystem = "Go"
	NPM    code.Ecosystem = "npm"
	Python code.Ecosystem = "Python"
	Rust   code.Ecosystem = "Rust"
	Maven  code.Ecosystem = "Maven"
	Ruby   code.Ecosystem = "Ruby"
	PHP    code.Ecosystem = "PHP"
)

// faultAt makes a Fault. A reason can quote a line of any length, which nobody would read to its end.
func faultAt(line int, format string, args ...any) error {
	const longest = 200
	reason := fmt.Sprintf(format, args...)
	if len(reason) > longest {
		reason = strings.ToValidUTF8(reason[:longest], "") + "…"
	}
	return code.Fault{Line: line, Reason: reason}
}

// format reads the text of one kind of file.
type format func(data []byte) (code.Manifest, error)

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
func Parse(file string, data []byte) (code.Manifest, error) {
	read := formatOf(path.Base(file))
	if read == nil {
		return code.Manifest{}, fmt.Errorf("parse %q: not the name of a manifest", file)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var f code.Manifest
	err := encoding(file, data)
	if err == nil {
		f, err = read(data)
	}
	if err == nil {
		err = check(f)
	}
	if err != nil {
		return code.Manifest{}, fmt.Errorf("parse %q: %w", file, err)
	}
	slices.SortStableFunc(f.Dependencies, func(a, b code.Dependency) int { return a.Line - b.Line })
	return f, nil
}

func check(m code.Manifest) error {
	for _, d := range m.Dependencies {
		if d.Name == "" {
			return faultAt(d.Line, "a dependency has no name")
		}
	}
	return nil
}

// onceEach keeps one entry for each name and version, an ungrouped one before others.
func onceEach(all []code.Dependency) []code.Dependency {
	type key struct{ name, version string }
	best := make(map[key]int, len(all))
	for i, d := range all {
		k := key{d.Name, d.Version}
		if first, seen := best[k]; !seen || all[first].Group != "" && d.Group == "" {
			best[k] = i
		}
	}
	var kept []code.Dependency
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
