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
	"sync"
	"unicode/utf8"

	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"

	"delegate/conflict/code"
)

// The ecosystems whose files are read.
const (
	Go     code.Ecosystem = "Go"
	NPM    code.Ecosystem = "npm"
	Python code.Ecosystem = "Python"
	Rust   code.Ecosystem = "Rust"
	PHP    code.Ecosystem = "PHP"
)

// faultAt makes a Fault. A reason can quote a line of any length, which nobody would read to its end.
func faultAt(line int, format string, args ...any) error {
	return code.Fault{Line: line, Reason: shorten.Bytes(fmt.Sprintf(format, args...), 200)}
}

// format is one kind of file.
type format struct {
	system code.Ecosystem
	lock   bool
	// parse makes the tree of the text; nil for what is read line by line.
	parse func(data []byte) (*item, error)
	read  func(*reading)
}

// reading is a file while it is read.
type reading struct {
	code.Manifest
	data  []byte
	root  *item // nil without a parser
	fault error // the first one
}

// fail notes a fault, unless there is one already.
func (r *reading) fail(line int, format string, args ...any) {
	if r.fault == nil {
		r.fault = faultAt(line, format, args...)
	}
}

// formats are the kinds of files that have one name. They are asked for with each file that is looked at.
var formats = sync.OnceValue(func() map[string]format {
	return map[string]format{
		"composer.json":       {PHP, false, parseJSON, readPackage},
		"go.mod":              {Go, false, nil, readGoMod},
		"package.json":        {NPM, false, parseJSON, readPackage},
		"package-lock.json":   {NPM, true, parseJSON, readPackageLock},
		"npm-shrinkwrap.json": {NPM, true, parseJSON, readPackageLock},
		"yarn.lock":           {NPM, true, nil, readYarnLock},
		"pnpm-lock.yaml":      {NPM, true, nil, readPnpmLock},
		"pyproject.toml":      {Python, false, parseTOML, readPyproject},
		"poetry.lock":         {Python, true, parseTOML, readPythonLock},
		"uv.lock":             {Python, true, parseTOML, readPythonLock},
		"Cargo.toml":          {Rust, false, parseTOML, readCargo},
		"Cargo.lock":          {Rust, true, parseTOML, readCargoLock},
	}
})

// The names of pip's files are a habit: requirements-dev.txt, test-requirements.txt, constraints.txt.
// pip-compile reads those that end in .in.
var (
	requirementsName = lazyregexp.New(`^(requirements.*|.*[-_]requirements)\.(txt|in)$`)
	constraintsName  = lazyregexp.New(`^constraints.*\.(txt|in)$`)
)

// formatOf finds none for files that are neither manifests nor lock files.
func formatOf(name string) (f format, ok bool) {
	switch text := strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".in"); {
	case !text:
	case requirementsName.MatchString(name):
		return format{Python, false, nil, readRequirements}, true
	case constraintsName.MatchString(name):
		return format{Python, false, nil, readConstraints}, true
	}
	f, ok = formats()[name]
	return f, ok
}

// IsManifest reports whether Parse reads the file, by the last element of its path, which has slashes.
func IsManifest(file string) bool {
	_, ok := formatOf(path.Base(file))
	return ok
}

// Parse reads a manifest or lock file; the last element of its path, which has slashes, says which kind.
// A byte order mark is skipped, and lines end in LF or CRLF.
// The error wraps a Fault if the text is not what the name says, and then the File is the zero value.
func Parse(file string, data []byte) (code.Manifest, error) {
	f, ok := formatOf(path.Base(file))
	if !ok {
		return code.Manifest{}, fmt.Errorf("parse %q: not the name of a manifest", file)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := reading{Manifest: code.Manifest{Ecosystem: f.system, Lock: f.lock}, data: data, fault: encoding(data)}
	if r.fault == nil && f.parse != nil {
		r.root, r.fault = f.parse(data)
	}
	if r.fields(r.root); r.fault == nil {
		f.read(&r)
	}
	for _, d := range r.Dependencies {
		if d.Name == "" {
			r.fail(d.Line, "a dependency has no name")
		}
	}
	if r.fault != nil {
		return code.Manifest{}, fmt.Errorf("parse %q: %w", file, r.fault)
	}
	slices.SortStableFunc(r.Dependencies, func(a, b code.Dependency) int { return a.Line - b.Line })
	return r.Manifest, nil
}

// onceEach keeps the first entry for each name and version.
func onceEach(all []code.Dependency) (kept []code.Dependency) {
	type key struct{ name, version string }
	seen := make(map[key]bool, len(all))
	for _, d := range all {
		if k := (key{d.Name, d.Version}); !seen[k] {
			seen[k], kept = true, append(kept, d)
		}
	}
	return kept
}

// encoding refuses texts that are not UTF-8.
func encoding(data []byte) error {
	if utf8.Valid(data) {
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
