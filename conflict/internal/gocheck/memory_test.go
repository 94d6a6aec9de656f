package gocheck

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// layers is a tree in which each package imports the one before it: a ← b ← c, and d stands alone.
func layers() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"go.mod": file("module m\n\ngo 1.26\n"),
		"a/a.go": file("package a\n\ntype T struct{ N int }\n"),
		"b/b.go": file("package b\n\nimport \"m/a\"\n\nfunc Make() a.T { return a.T{} }\n"),
		"c/c.go": file("package c\n\nimport (\n\t\"m/a\"\n\t\"m/b\"\n)\n\nvar T a.T = b.Make()\n"),
		"d/d.go": file("package d\n\nvar X int = \"\"\n"),
	}
}

// checkedFor is how many bytes of source a check of all layers takes, and how many problems it finds.
func checkedFor(t *testing.T, c *Checker, tree fstest.MapFS) (bytes, problems int) {
	t.Helper()
	before := c.checked
	r, err := c.Check(t.Context(), tree, []string{"a", "b", "c", "d"})
	if err != nil || len(r.Unresolved) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	return c.checked - before, len(r.Problems)
}

func TestOnlyChangedContentIsCheckedAgain(t *testing.T) {
	empty := t.TempDir()
	c := New(Options{GOROOT: empty, ModCache: empty})
	tree := layers()
	if n, problems := checkedFor(t, c, tree); n == 0 || problems != 1 {
		t.Fatalf("first check: %d bytes, %d problems", n, problems)
	}
	if n, problems := checkedFor(t, c, layers()); n != 0 || problems != 1 {
		t.Errorf("equal tree: %d bytes, %d problems", n, problems)
	}
	// C imports b. A stays, and is the same a for both.
	tree["b/b.go"] = &fstest.MapFile{Data: []byte(
		"package b\n\nimport \"m/a\"\n\nfunc Make() a.T { return a.T{N: 1} }\n")}
	want := len(tree["b/b.go"].Data) + len(tree["c/c.go"].Data)
	if n, problems := checkedFor(t, c, tree); n != want || problems != 1 {
		t.Errorf("tree with another b: %d bytes, %d problems; want %d bytes", n, problems, want)
	}
	if n, problems := checkedFor(t, c, layers()); n != 0 || problems != 1 {
		t.Errorf("first tree again: %d bytes, %d problems", n, problems)
	}
	tree["go.mod"] = &fstest.MapFile{Data: []byte("module m\n\ngo 1.25\n")}
	if n, _ := checkedFor(t, c, tree); n == 0 {
		t.Error("another language: nothing was checked")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	empty := t.TempDir()
	c := New(Options{GOROOT: empty, ModCache: empty})
	for i := range 3 {
		c.checked += fresh + 1
		tree := layers()
		tree["e/e.go"] = &fstest.MapFile{Data: fmt.Appendf(nil, "package e\n\nconst E = %d\n", i)}
		if _, err := c.Check(t.Context(), tree, []string{"c", "d", "e"}); err != nil {
			t.Fatal(err)
		}
		if len(c.shapes) != 5 || len(c.verdicts) != 3 || c.checked > fresh {
			t.Errorf("after check %d: %d shapes, %d verdicts, %d bytes", i, len(c.shapes), len(c.verdicts), c.checked)
		}
	}
}

// What was parsed is used again as long as the file and its folder are the same, and is bounded.
func TestParsedFilesAreUsedAgain(t *testing.T) {
	empty := t.TempDir()
	c := New(Options{GOROOT: empty, ModCache: empty})
	size := func() int { return c.positions.Base() }
	check := func(tree fstest.MapFS) int {
		t.Helper()
		before := size()
		checkedFor(t, c, tree)
		return size() - before
	}
	check(layers())
	tree := layers()
	tree["d/e.go"] = &fstest.MapFile{Data: []byte("package d\n\nvar Y = X\n")}
	if got, want := check(tree), len(tree["d/e.go"].Data)+1; got != want {
		t.Errorf("with one more file %d bytes are parsed, want %d", got, want)
	}
	// The same content elsewhere has positions of its own.
	tree["e/d.go"] = tree["d/d.go"]
	if r, err := c.Check(t.Context(), tree, []string{"e"}); err != nil || len(r.Problems) != 1 ||
		r.Problems[0].Path != "e/d.go" {
		t.Errorf("%+v, %v", r, err)
	}
	c.texts = mostParsed
	tree["d/f.go"] = &fstest.MapFile{Data: []byte("package d\n\nvar Z = X\n")}
	if check(tree); len(c.parsed) == 0 || c.texts > mostParsed/2 {
		t.Errorf("%d files of %d bytes are kept", len(c.parsed), c.texts)
	}
}
