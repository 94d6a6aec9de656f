package gocheck

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// maxFile is the size in bytes above which a file is not read as Go. A package with one counts as unresolved.
const maxFile = 8 << 20

type digest [sha256.Size]byte

// source is a root of Go files.
type source struct {
	files fs.FS // nil if there is none
	// stable says that a folder never changes; its texts are then read when they are needed and not kept.
	stable  bool
	folders map[string]*folder
}

// header is what the beginning of a file says. It depends on the file's name and content only.
type header struct {
	skip    bool   // not for this system
	pkg     string // name of the package, "" if the clause cannot be read
	line    int    // of the package clause
	imports []spec
}

type spec struct {
	path string
	line int
}

type file struct {
	name string
	text []byte // nil in a stable source
	sum  digest
	*header
}

// folder is what a folder holds of files that are built on this system.
type folder struct {
	name string // of the package
	// plain files are the package, inner ones its tests in the same package, outer ones those of
	// the external test package; by name.
	plain, inner, outer []file
	faults              []Problem
	// skipped says that there are Go files for other systems.
	skipped bool
	// partial says that something could not be read: what is not here may be there all the same.
	partial bool
}

func (f *folder) isEmpty() bool {
	return len(f.plain)+len(f.inner)+len(f.outer) == 0 && !f.partial
}

// folder reads a folder; a missing one is empty. Only a source that is not stable gives errors.
func (c *Checker) folder(s *source, dir string) (*folder, error) {
	if f, known := s.folders[dir]; known {
		return f, nil
	}
	f := &folder{}
	files, err := c.files(s, dir, f)
	switch {
	case s.stable && err != nil:
		f = &folder{partial: true}
	case err != nil:
		return nil, err
	default:
		f.sort(dir, files)
	}
	s.folders[dir] = f
	return f, nil
}

func (c *Checker) files(s *source, dir string, f *folder) (files []file, err error) {
	if s.files == nil {
		f.partial = true
		return nil, nil
	}
	if info, err := fs.Stat(s.files, dir); isAbsence(err) || err == nil && !info.IsDir() {
		return nil, nil
	}
	entries, err := fs.ReadDir(s.files, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		isFile := e.Type().IsRegular() || e.Type() == fs.ModeSymlink
		if !isFile || !strings.HasSuffix(e.Name(), ".go") || s.stable && strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		one, err := c.read(s, dir, e.Name())
		switch {
		case err != nil && !isAbsence(err):
			return nil, err
		case err != nil || len(one.text) > maxFile:
			f.partial = true
		case one.skip:
			f.skipped = true
		default:
			if s.stable {
				one.text = nil
			}
			files = append(files, one)
		}
	}
	return files, nil
}

// isAbsence tells that a path leads nowhere from other errors. A file in the place of a folder is
// one way to lead nowhere.
func isAbsence(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR)
}

// errKnown ends the look at a file whose header is known.
var errKnown = errors.New("header is known")

// read reads one file, unless its name says that it is for another system.
func (c *Checker) read(s *source, dir, name string) (f file, err error) {
	f.name = name
	choose, opened := c.build, false
	choose.OpenFile = func(string) (io.ReadCloser, error) {
		opened = true
		if f.text, err = fs.ReadFile(s.files, path.Join(dir, name)); err != nil {
			return nil, err
		}
		f.sum = sumOf(name, f.text)
		if f.header = c.headers[f.sum]; f.header != nil || len(f.text) > maxFile {
			return nil, errKnown
		}
		return io.NopCloser(bytes.NewReader(f.text)), nil
	}
	// An error of the match is the parser's too, which says more about it.
	match, fault := choose.MatchFile("", name)
	switch {
	case err != nil || f.header != nil:
		return f, err
	case !opened || !match && fault == nil || len(f.text) > maxFile:
		f.header = &header{skip: true}
	default:
		f.header = headerOf(name, f.text)
	}
	if opened {
		c.headers[f.sum] = f.header
	}
	return f, nil
}

func sumOf(name string, text []byte) (d digest) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", name)
	h.Write(text)
	h.Sum(d[:0])
	return d
}

func headerOf(name string, text []byte) *header {
	positions := token.NewFileSet()
	tree, _ := parser.ParseFile(positions, name, text, parser.ImportsOnly|parser.SkipObjectResolution)
	h := &header{line: 1}
	if tree == nil || tree.Name == nil {
		return h
	}
	line := func(p token.Pos) int { return positions.PositionFor(p, false).Line }
	h.pkg, h.line = tree.Name.Name, line(tree.Package)
	for _, s := range tree.Imports {
		if path, err := strconv.Unquote(s.Path.Value); err == nil {
			h.imports = append(h.imports, spec{path, line(s.Path.Pos())})
		}
	}
	return h
}

// sort tells the package from its tests and from files of other packages.
// A file whose clause cannot be read goes with the package, so that the parser says what is wrong with it.
func (f *folder) sort(dir string, files []file) {
	f.name = nameOf(files)
	for _, one := range files {
		isTest, isOurs := strings.HasSuffix(one.name, "_test.go"), one.pkg == f.name || one.pkg == ""
		switch {
		case isOurs && !isTest:
			f.plain = append(f.plain, one)
		case isOurs:
			f.inner = append(f.inner, one)
		case isTest && one.pkg == f.name+"_test":
			f.outer = append(f.outer, one)
		case one.pkg != documentation:
			text := fmt.Sprintf("found packages %s and %s in one folder", f.name, one.pkg)
			f.faults = append(f.faults, Problem{Path: path.Join(dir, one.name), Line: one.line, Message: text})
		}
	}
}

// documentation is the name of a package that the go command ignores next to another.
const documentation = "documentation"

// nameOf is the name that most files give their package, the first of equals; tests count if there is nothing else.
func nameOf(files []file) (name string) {
	votes := map[string]int{}
	for _, isTest := range []bool{false, true} {
		for _, one := range files {
			vote := one.pkg
			if vote == "" || vote == documentation || strings.HasSuffix(one.name, "_test.go") != isTest {
				continue
			}
			if isTest {
				vote = strings.TrimSuffix(vote, "_test")
			}
			if votes[vote]++; votes[vote] > votes[name] {
				name = vote
			}
		}
		if name != "" {
			break
		}
	}
	return name
}
