package gocheck

import (
	"cmp"
	"context"
	"delegate/conflict/code"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fresh is after how many bytes of checked source a Checker forgets everything before the next
// check, which bounds its memory. What is kept takes about two and a half times its source.
const fresh = 64 << 20

// Options say where packages outside of the tree are. The zero value is right for the machine's own Go.
type Options struct {
	// GOROOT is the folder of the Go installation. "" is the one of the environment: $GOROOT, the
	// Go that built this program, the go in $PATH. Without any, the standard library counts as
	// unresolved.
	GOROOT string
	// ModCache is the folder of downloaded modules. "" is the one that the go command uses here.
	ModCache string
	// Visit is called before each package is checked, with its folder in the tree, "" for one
	// outside of it; nil for nothing.
	Visit func(folder string)
}

// Local are the options with the folders of this machine's own Go in place of "", as far as it has them.
func (o Options) Local() Options {
	o.GOROOT = cmp.Or(o.GOROOT, goroot(build.Default.GOROOT, os.Getenv("PATH")))
	o.ModCache = cmp.Or(o.ModCache, modCache())
	return o
}

// Checker type-checks packages of trees. It keeps what it learnt, so use one for many trees.
// It is not safe for concurrent use.
type Checker struct {
	build      build.Context
	std, cache *source
	visit      func(folder string)
	memory
}

// memory is what a Checker learnt.
type memory struct {
	positions *token.FileSet
	headers   map[digest]*header
	library   *graph                   // of the standard library
	names     map[*node]*types.Package // of packages of it that only bodies of functions name
	shapes    map[digest]*result
	verdicts  map[digest]*result
	checked   int // bytes of source
	parsed    map[digest]parsed
	texts     int // bytes of source that parsed are of
}

// parsed is a file of a tree without faults. A package is checked with its tests and without, and in the next tree
// again, with most files the same; nobody changes what was parsed.
type parsed struct {
	name string // with its folder, which positions tell
	tree *ast.File
}

// mostParsed bounds the source of what was parsed, which takes about ten times as much; what is full begins anew.
const mostParsed = 2 << 20

// New makes a checker. It looks for no more than the folders; what they lack shows in reports.
func New(o Options) *Checker {
	o = o.Local()
	c := &Checker{build: build.Default, visit: o.Visit}
	c.build.CgoEnabled = true
	c.std = onDisk(o.GOROOT, "src")
	c.cache = onDisk(o.ModCache, ".")
	c.forget()
	return c
}

// onDisk is a folder whose content stays as it is; base is the folder that holds it, "" if there is none.
func onDisk(base, folder string) *source {
	s := &source{stable: true}
	if base != "" {
		s.files = os.DirFS(filepath.Join(base, folder))
	}
	return s
}

func (c *Checker) forget() {
	c.memory = memory{
		positions: token.NewFileSet(), headers: map[digest]*header{},
		names:  map[*node]*types.Package{},
		shapes: map[digest]*result{}, verdicts: map[digest]*result{}, parsed: map[digest]parsed{},
	}
	c.std.folders, c.cache.folders = map[string]*folder{}, map[string]*folder{}
	c.library = newGraph(c, nil, nil)
}

// Problem is one error of the type checker or the parser, or of the rules for imports.
type Problem = code.Problem

// Report is what a check found: problems sorted by path, line and message, each once, the files of the packages of
// which nothing is missing, and the import paths that could not be loaded, of the packages looked at and of all they
// need, sorted.
type Report = code.Report

func compareProblems(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
}

// Check type-checks the packages in the folders (with slashes, "." is the root) and their tests.
// Folders are skipped that are missing, have no Go files for this system, or are left out of the go command's "./...":
// vendor, testdata, and names that begin with "." or "_".
// The error is the context's, or says that the tree could not be read; faults of the Go code are no error.
func (c *Checker) Check(ctx context.Context, tree fs.FS, folders []string) (Report, error) {
	r, _, err := c.CheckWithin(ctx, tree, nil, folders)
	return r, err
}

// CheckWithin is Check for a tree on the way to another one, nil for none: a folder in which that one is found to be
// sound is not checked in the first. A package is sound there if nothing is wrong with it, if it has all files of the
// first tree's, and if the same is missing below it, so that the same would be told of it. settled says that there was
// such a folder.
func (c *Checker) CheckWithin(ctx context.Context, tree, later fs.FS, folders []string) (r Report, conclusive bool,
	err error) {
	if c.checked > fresh {
		c.forget()
	}
	v := newView(c, &source{files: tree, folders: map[string]*folder{}})
	var next *view
	if later != nil {
		next = newView(c, &source{files: later, folders: map[string]*folder{}})
	}
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(folders))) {
		dir = path.Clean(dir)
		if !fs.ValidPath(dir) || isLeftOut(dir) {
			continue
		}
		done, err := v.check(ctx, dir, next)
		if err != nil {
			return Report{}, false, fmt.Errorf("check the Go package in %q: %w", dir, err)
		}
		conclusive = conclusive || done
	}
	slices.SortFunc(v.problems, compareProblems)
	return Report{Problems: slices.Compact(v.problems), Read: slices.Sorted(maps.Keys(v.read)),
		Unresolved: slices.Sorted(maps.Keys(v.unresolved))}, conclusive, nil
}

func isLeftOut(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_'
	})
}

// check looks at one folder. It is settled if the later tree, nil for none, is sound there.
func (v *view) check(ctx context.Context, dir string, later *view) (conclusive bool, err error) {
	p, err := v.plan(ctx, dir)
	if err != nil {
		return false, err
	}
	if later != nil && p.isWhole() {
		if conclusive, err = later.isSound(ctx, dir, p); err != nil {
			return false, err
		}
	}
	v.problems = append(v.problems, p.faults...)
	if p.missing != "" {
		v.unresolved[p.missing] = true
	}
	for _, part := range p.parts {
		var r *result
		if !conclusive {
			if r, err = v.c.load(ctx, part.node, whole); err != nil {
				return false, err
			}
			v.problems = slices.Concat(v.problems, r.problems, part.graph.cycles)
		} else {
			r = &result{missing: part.gaps().paths()}
		}
		for _, path := range r.missing {
			v.unresolved[path] = true
		}
		if len(r.missing) == 0 && !r.broken {
			for _, f := range part.files {
				v.read[path.Join(dir, f.name)] = true
			}
		}
	}
	return conclusive, nil
}
