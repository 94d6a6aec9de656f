package gocheck_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/conflict/internal/gocheck"
)

// treeOf makes a tree from files in the form of txtar.
func treeOf(text string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return tree
}

// foldersOf are all folders of a tree that hold a file.
func foldersOf(tree fs.FS) (all []string) {
	fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, _ error) error {
		if d.IsDir() {
			all = append(all, name)
		}
		return nil
	})
	return all
}

// bare is a checker without a standard library and without downloaded modules.
func bare(t *testing.T) *gocheck.Checker {
	empty := t.TempDir()
	return gocheck.New(gocheck.Options{GOROOT: empty, ModCache: empty})
}

// check checks all folders of a tree and gives the problems, one a line.
func check(t *testing.T, c *gocheck.Checker, tree fs.FS) (problems, unresolved []string) {
	t.Helper()
	r, err := c.Check(t.Context(), tree, foldersOf(tree))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		problems = append(problems, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message))
	}
	return problems, r.Unresolved
}

func wantLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// with is a tree with the files of others in place of its own; an empty file deletes.
func with(tree fstest.MapFS, others ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, one := range append([]fstest.MapFS{tree}, others...) {
		for name, f := range one {
			if all[name] = f; len(f.Data) == 0 {
				delete(all, name)
			}
		}
	}
	return all
}

// TestArchives reads testdata: below tree/ is a tree, below want/ what has to come out, cache/ and goroot/ are on disk.
// An archive with base/, a/ and b/ is a merge: the base is right, so is what either branch makes of
// it, and only together they are wrong.
func TestArchives(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all := treeOf(string(text))
			disk := t.TempDir()
			write(t, filepath.Join(disk, "cache"), below(all, "cache"))
			write(t, filepath.Join(disk, "goroot", "src"), below(all, "goroot"))
			c := gocheck.New(gocheck.Options{GOROOT: filepath.Join(disk, "goroot"),
				ModCache: filepath.Join(disk, "cache")})
			tree, base, a, b := below(all, "tree"), below(all, "base"), below(all, "a"), below(all, "b")
			if len(base) > 0 {
				tree = with(base, a, b, below(all, "merged"))
				for side, right := range map[string]fstest.MapFS{"base": base, "a": with(base, a), "b": with(base, b)} {
					problems, unresolved := check(t, c, right)
					wantLines(t, "problems of "+side, problems, nil)
					wantLines(t, "unresolved of "+side, unresolved, nil)
				}
			}
			want := below(all, "want")
			problems, unresolved := check(t, c, tree)
			wantLines(t, "problems", problems, linesOf(want["problems"]))
			wantLines(t, "unresolved", unresolved, linesOf(want["unresolved"]))
		})
	}
}

// below is the part of a tree below a folder.
func below(tree fstest.MapFS, folder string) fstest.MapFS {
	part := fstest.MapFS{}
	for name, f := range tree {
		if rest, found := strings.CutPrefix(name, folder+"/"); found {
			part[rest] = f
		}
	}
	return part
}

func write(t *testing.T, folder string, tree fstest.MapFS) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range tree {
		name = filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func linesOf(f *fstest.MapFile) []string {
	if f == nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(f.Data)), "\n")
}

func TestFoldersThatAreNone(t *testing.T) {
	tree := treeOf("-- go.mod --\nmodule m\n-- a.go --\npackage m\n\nvar x int = \"\"\n-- docs/x.md --\ntext\n")
	r, err := bare(t).Check(t.Context(), tree, []string{"missing", "docs", "a.go", "../m", "/"})
	if err != nil || len(r.Problems) != 0 {
		t.Errorf("%+v, %v; want nothing", r, err)
	}
	r, err = bare(t).Check(t.Context(), tree, []string{".", "./", "x/.."})
	if err != nil || len(r.Problems) != 1 {
		t.Errorf("%+v, %v; want one problem", r, err)
	}
}

// tornFS is a tree in which one file cannot be read.
type tornFS struct {
	fstest.MapFS
	bad string
	err error
}

func (f tornFS) ReadFile(name string) ([]byte, error) {
	if name == f.bad {
		return nil, &fs.PathError{Op: "read", Path: name, Err: f.err}
	}
	return f.MapFS.ReadFile(name)
}

func TestUnreadableTree(t *testing.T) {
	tree := treeOf("-- go.mod --\nmodule m\n-- a/a.go --\npackage a\n\nimport \"m/b\"\n\nvar x = b.X\n-- b/b.go --\n" +
		"package b\n")
	torn := errors.New("torn")
	for _, bad := range []string{"go.mod", "a/a.go", "b/b.go"} {
		if _, err := bare(t).Check(t.Context(), tornFS{tree, bad, torn}, []string{"a"}); !errors.Is(err, torn) ||
			!strings.Contains(err.Error(), bad) {
			t.Errorf("%q cannot be read: %v", bad, err)
		}
	}
	// A link that leads nowhere is listed and is not there.
	r, err := bare(t).Check(t.Context(), tornFS{tree, "b/b.go", fs.ErrNotExist}, []string{"a"})
	if err != nil || len(r.Problems) != 0 || !slices.Equal(r.Unresolved, []string{"m/b"}) {
		t.Errorf("dangling link: %+v, %v", r, err)
	}
}

func TestLargeFile(t *testing.T) {
	tree := treeOf("-- go.mod --\nmodule m\n-- a/a.go --\npackage a\n\nvar x int = \"\"\n-- b/b.go --\npackage b\n\n" +
		"import \"m/a\"\n\nvar x = a.A{}.B\n\nvar y int = \"\"\n")
	tree["a/large.go"] = &fstest.MapFile{Data: append([]byte("package a\n\ntype A struct{ B int }\n"),
		make([]byte, 8<<20)...)}
	problems, unresolved := check(t, bare(t), tree)
	wantLines(t, "problems", problems, []string{`b/b.go:7: cannot use "" (untyped string constant) as int value in variable declaration`})
	wantLines(t, "unresolved", unresolved, []string{"m/a"})
}

func TestLongMessage(t *testing.T) {
	tree := treeOf("-- go.mod --\nmodule m\n-- a.go --\npackage m\n\nvar x int = \"" + strings.Repeat("é", 9999) +
		"\"\n" + "type T " + strings.Repeat("[]", 999) + "int\n\nvar y int = T{}.F\n\nfunc f(x " +
		strings.Repeat("[]", 999) + "int) { x.Y() }\n")
	problems, _ := check(t, bare(t), tree)
	if len(problems) != 3 {
		t.Fatalf("%d problems: %q", len(problems), problems)
	}
	for _, p := range problems {
		if len(p) > 500 || !utf8.ValidString(p) {
			t.Errorf("%d bytes: %q", len(p), p)
		}
	}
}

// countdown is a context that ends after it was asked some times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// The context ends at every stage of the first check; the checker must be none the worse for it.
func TestContextEnds(t *testing.T) {
	tree := treeOf("-- go.mod --\nmodule m\n-- a.go --\npackage m\n\nimport \"fmt\"\n\nvar x = fmt.Sprint(y)\n-- " +
		"a_test.go --\npackage m\n")
	c := gocheck.New(gocheck.Options{})
	for calls := 0; ; calls += 3 {
		_, err := c.Check(&countdown{t.Context(), calls}, tree, []string{"."})
		if err == nil && calls > 0 {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d calls: %v", calls, err)
		}
	}
	problems, unresolved := check(t, c, tree)
	wantLines(t, "problems", problems, []string{"a.go:5: undefined: y"})
	wantLines(t, "unresolved", unresolved, nil)
}
