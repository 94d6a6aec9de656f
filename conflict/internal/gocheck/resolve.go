package gocheck

import (
	"io/fs"
	"path"
	"strings"
)

// place is where a package is.
type place struct {
	// path is the import path, as the type checker knows it.
	path   string
	source *source
	dir    string
	// lang is the language version, "go1.21"; "" is the newest.
	lang string
	// tests is the import path of the package that this one holds the external tests of, "" for all others.
	tests string
}

// id tells a package from all others of a graph. External tests may have the import path of a folder.
func (p place) id() string {
	if p.tests != "" {
		return "tests of " + p.tests
	}
	return p.path
}

// answer says what became of an import.
type answer int

const (
	here answer = iota
	// unknown packages may exist where nothing can be seen from here.
	unknown
	// absent packages make the go command stop.
	absent
	// cyclic imports lead back to the importer.
	cyclic
)

// resolve finds the package that an import of another means.
func (g *graph) resolve(from place, name string) (place, answer, error) {
	if !isPath(name) {
		return place{}, unknown, nil
	}
	if p, there := g.c.inLibrary(from, name); there || from.source == g.c.std {
		return p, answerOf(there), nil
	}
	last := unknown
	for _, m := range g.space.list {
		rest, fits := below(name, m.path)
		if !fits {
			continue
		}
		p := place{path: name, source: m.source, dir: path.Join(m.dir, rest), lang: m.lang}
		a, err := g.view.look(m, p)
		if a != absent || err != nil {
			return p, a, err
		}
		last = absent
	}
	switch {
	case g.space.vendor != "":
		p := place{path: name, source: g.view.tree, dir: path.Join(g.space.vendor, name), lang: g.space.spoken[name]}
		a, err := g.view.look(mod{source: p.source, dir: p.dir}, p)
		return p, a, err
	case g.space.strict && hasHost(name):
		last = absent
	}
	return place{}, last, nil
}

func answerOf(there bool) answer {
	if there {
		return here
	}
	return unknown
}

// isPath tells the import paths that name a package by itself from relative and malformed ones.
func isPath(name string) bool {
	return fs.ValidPath(name) && name[0] != '.' && !strings.ContainsAny(name, "\\:\x00")
}

// inLibrary looks in the standard library, which has some packages for itself alone.
func (c *Checker) inLibrary(from place, name string) (p place, there bool) {
	if hasHost(name) {
		if from.source != c.std {
			return place{}, false
		}
		name = "vendor/" + name
	}
	f, err := c.folder(c.std, name)
	if err != nil || f.partial || len(f.plain) == 0 {
		return place{}, false
	}
	return place{path: name, source: c.std, dir: name}, true
}

// hasHost tells paths that begin with a host name, as no package of the standard library does.
func hasHost(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}

// look says whether a module has a package.
func (v *view) look(m mod, p place) (answer, error) {
	if m.source == nil {
		return unknown, nil
	}
	for dir := p.dir; m.source == v.tree && dir != m.dir; dir = path.Dir(dir) {
		if nested, err := v.has(path.Join(dir, "go.mod")); err != nil || nested {
			return absent, err
		}
	}
	f, err := v.c.folder(m.source, p.dir)
	switch {
	case err != nil:
		return unknown, err
	case f.partial:
		return unknown, nil
	case len(f.plain) > 0:
		return here, nil
	case f.skipped:
		return unknown, nil
	}
	return absent, nil
}
