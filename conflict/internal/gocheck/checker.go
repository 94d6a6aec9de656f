package gocheck

import (
	"cmp"
	"context"
	"delegate/conflict/code"
	"fmt"
	"go/build"
	"go/token"
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
	library   *graph // of the standard library
	shapes    map[digest]*result
	verdicts  map[digest]*result
	checked   int // bytes of source
}

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
		shapes: map[digest]*result{}, verdicts: map[digest]*result{},
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
	if c.checked > fresh {
		c.forget()
	}
	v := newView(c, &source{files: tree, folders: map[string]*folder{}})
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(folders))) {
		dir = path.Clean(dir)
		if !fs.ValidPath(dir) || isLeftOut(dir) {
			continue
		}
		if err := v.check(ctx, dir); err != nil {
			return Report{}, fmt.Errorf("check the Go package in %q: %w", dir, err)
		}
	}
	slices.SortFunc(v.problems, compareProblems)
	return Report{Problems: slices.Compact(v.problems), Read: slices.Sorted(maps.Keys(v.read)),
		Unresolved: slices.Sorted(maps.Keys(v.unresolved))}, nil
}

func isLeftOut(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_'
	})
}

// check looks at one folder: its package, the package with its tests, and the external tests.
func (v *view) check(ctx context.Context, dir string) error {
	f, err := v.c.folder(v.tree, dir)
	if err != nil || f.isEmpty() {
		return err
	}
	w, err := v.workspace(dir)
	if err != nil {
		return err
	}
	v.problems = append(v.problems, w.faults...)
	if len(w.faults) > 0 {
		return nil
	}
	v.problems = append(v.problems, f.faults...)
	home := w.home(v.tree, dir)
	if f.partial {
		v.unresolved[home.path] = true
		return nil
	}
	g := v.graph(w, "")
	if len(f.plain) > 0 {
		if err := v.judge(ctx, g, home, f.plain); err != nil {
			return err
		}
	}
	if len(f.inner) > 0 {
		g = v.graph(w, home.path)
		if err := v.judge(ctx, g, home, slices.Concat(f.plain, f.inner)); err != nil {
			return err
		}
	}
	if len(f.outer) == 0 {
		return nil
	}
	home.tests, home.path = home.path, home.path+"_test"
	return v.judge(ctx, g, home, f.outer)
}

// judge adds what is wrong in one package to the report.
func (v *view) judge(ctx context.Context, g *graph, p place, files []file) error {
	n, err := g.visit(ctx, p, files)
	if err != nil {
		return err
	}
	r, err := v.c.load(ctx, n, whole)
	if err != nil {
		return err
	}
	v.problems = slices.Concat(v.problems, r.problems, g.cycles)
	for _, path := range r.missing {
		v.unresolved[path] = true
	}
	if len(r.missing) == 0 && !r.broken {
		for _, f := range files {
			v.read[path.Join(p.dir, f.name)] = true
		}
	}
	return nil
}
