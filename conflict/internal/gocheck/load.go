package gocheck

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
	"go/version"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// depth is how much of a package is checked.
type depth int

const (
	// shape is what importers need: declarations without function bodies.
	shape depth = iota
	// whole is everything.
	whole
)

// result is a package that has been checked.
type result struct {
	pkg      *types.Package
	problems []Problem
	// missing are the import paths that could not be loaded, of all below the package, sorted.
	// The package itself is among them if nothing can be said of it.
	missing []string
	// broken says that the package may lack declarations which its files have.
	broken bool
	// usesC says that the package, or one below it outside of the standard library, uses C, whose
	// types are not known.
	usesC bool
}

// load checks a package after all that it imports, unless one with the same key was checked before.
func (c *Checker) load(ctx context.Context, n *node, d depth) (*result, error) {
	if r := c.known(n.key, d); r != nil {
		return r, nil
	}
	u := &unit{c: c, node: n, depth: d, imports: map[string]*result{}}
	missing, usesC := map[string]bool{}, n.source != c.std && len(importers(n, "C")) > 0
	isNeeded := func(edge) bool { return true }
	if n.source == c.std && d == shape {
		c.announce(n)
		u.parse()
		isNeeded = u.declaredWith()
	}
	for _, e := range n.imports {
		switch {
		case e.to == nil:
			missing[e.path] = true
			continue
		case !isNeeded(e):
			u.imports[e.path] = &result{pkg: c.nameOnly(e.to)}
			continue
		}
		r, err := c.load(ctx, e.to, shape)
		if err != nil {
			return nil, err
		}
		u.imports[e.path] = r
		usesC = usesC || r.usesC
		for _, path := range r.missing {
			missing[path] = true
		}
		if r.broken {
			missing[e.path] = true
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u.doubtful = len(missing) > 0 || usesC
	c.announce(n)
	r := u.check()
	if r.broken && len(r.problems) == 0 {
		missing[n.path] = true
	}
	r.missing, r.usesC = slices.Sorted(maps.Keys(missing)), usesC
	if d == whole {
		c.verdicts[n.key] = r
	}
	if c.shapes[n.key] == nil {
		c.shapes[n.key] = r
	}
	return r, nil
}

// announce says which package is checked next.
func (c *Checker) announce(n *node) {
	switch {
	case c.visit == nil:
	case n.source == c.std || n.source == c.cache:
		c.visit("")
	default:
		c.visit(n.dir)
	}
}

// known is what was found before. All importers have to get one and the same package, which is the first that was made.
func (c *Checker) known(key digest, d depth) *result {
	if d == whole {
		return c.verdicts[key]
	}
	return c.shapes[key]
}

// unit is one package while it is checked.
type unit struct {
	c       *Checker
	node    *node
	depth   depth
	imports map[string]*result
	// doubtful says that something below the package is missing or uses C.
	doubtful bool
	parsed   bool
	files    []*ast.File
	faults   []Problem // of the parser
	unread   error
	errors   []types.Error
	// fakes are the packages that stand for what is missing.
	fakes map[*types.Package]bool
}

var (
	errMissing = errors.New("package is missing")
	errBroken  = errors.New("package is broken")
)

// Import implements types.Importer. Of a package that comes with an error the type checker believes every name.
func (u *unit) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	r := u.imports[name]
	if r != nil && !r.broken {
		return r.pkg, nil
	}
	if r != nil {
		u.fakes[r.pkg] = true
		return r.pkg, errBroken
	}
	// The real name is not known. One that no file can spell is declared for nothing else.
	p := types.NewPackage(name, "import "+name)
	u.fakes[p] = true
	return p, errMissing
}

// check parses and checks the package. The type checker does not come to files that cannot be
// parsed, as the compiler does not.
func (u *unit) check() *result {
	r := &result{pkg: types.NewPackage(u.node.path, nameOf(u.node.files)), broken: true}
	if u.parse(); u.unread != nil || len(u.faults) > 0 {
		r.problems = u.faults
		return r
	}
	info := &types.Info{}
	if u.doubtful && u.depth == whole {
		info.Uses = map[*ast.Ident]types.Object{}
	}
	pkg := u.types(info)
	if pkg == nil {
		return r
	}
	r = &result{pkg: pkg}
	if u.depth == whole {
		r.problems = append(u.importProblems(), u.typeProblems(info)...)
	}
	return r
}

// parse reads the files, once.
func (u *unit) parse() {
	if u.parsed {
		return
	}
	u.parsed = true
	for _, f := range u.node.files {
		name, text := path.Join(u.node.dir, f.name), f.text
		if text == nil {
			if text, u.unread = fs.ReadFile(u.node.source.files, name); u.unread != nil {
				return
			}
		}
		u.c.checked += len(text)
		if known := u.c.parsed[f.sum]; known.name == name {
			u.files = append(u.files, known.tree)
			continue
		}
		tree, err := parser.ParseFile(u.c.positions, name, text, parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				line := 1 + bytes.Count(text[:e.Pos.Offset], []byte("\n"))
				u.faults = append(u.faults, Problem{Path: name, Line: line, Message: oneLine(e.Msg)})
			}
		}
		u.files = append(u.files, tree)
		if err == nil && f.text != nil {
			u.c.keepParsed(f, parsed{name, tree})
		}
	}
}

// keepParsed keeps a file for the next package that has it.
func (c *Checker) keepParsed(f file, p parsed) {
	if c.texts += len(f.text); c.texts > mostParsed {
		clear(c.parsed)
		c.texts = len(f.text)
	}
	c.parsed[f.sum] = p
}

// types runs the type checker; nil says that it gave up on this package for good.
func (u *unit) types(info *types.Info) (pkg *types.Package) {
	// A panic is a fault of the type checker, not of the tree that we know nothing about then.
	defer func() {
		if recover() != nil {
			pkg = nil
		}
	}()
	u.fakes = map[*types.Package]bool{}
	config := types.Config{
		GoVersion:                u.c.lang(u.node.lang),
		IgnoreFuncBodies:         u.depth == shape,
		DisableUnusedImportCheck: u.depth == shape,
		FakeImportC:              true,
		Importer:                 u,
		Sizes:                    types.SizesFor("gc", u.c.build.GOARCH),
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				u.errors = append(u.errors, e)
			}
		},
	}
	pkg, _ = config.Check(u.node.path, u.c.positions, u.files, info)
	pkg.MarkComplete()
	return pkg
}

// lang is a language version for the type checker, which refuses newer ones than its own.
func (c *Checker) lang(want string) string {
	tags := c.build.ReleaseTags
	if !version.IsValid(want) || version.Compare(version.Lang(want), tags[len(tags)-1]) > 0 {
		return ""
	}
	return want
}
