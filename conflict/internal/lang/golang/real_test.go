package golang

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"delegate/conflict/code"
	"delegate/internal/sys/long"
)

// standardLibrary calls f with each Go file of the standard library that is no test and no test's data.
func standardLibrary(tb testing.TB, folder string, f func(name string, data []byte)) {
	tb.Helper()
	root := filepath.Join(build.Default.GOROOT, "src", folder)
	if _, err := os.Stat(root); err != nil {
		tb.Skipf("no source of the standard library: %v", err)
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(name)
		f(name, data)
		return err
	})
	if err != nil {
		tb.Fatalf("walk %q: %v", root, err)
	}
}

func FuzzParseGo(f *testing.F) {
	for _, seed := range []string{
		"package x\nfunc F() {}", "package x; type T[P any] struct { T }; func (t *T[P]) m() { t.T.m() }",
		"package x\nvar x = T{{a: 1}}", "package x\nfunc ()()",
		"package x\nfunc f() { switch x := y.(type) { case nil: }; for i := range 3 { } }",
		"package x\nconst ( a = iota; b )", "package x\nvar (\n\ta, b = `c`, func(d ...e) {}\n)",
		"package x\nimport . \"y\"\ntype ( a = b.c; d interface { ~e | f; g(h) i }; j map[k]chan l )\nfunc m(n, o p) " +
			"(q r) { s.t[u](v...); w <- <-x; y:\n goto y }\n}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := parse("x_test.go", data)
		if _, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution); err != nil &&
			len(file.Faults) == 0 {
			t.Errorf("no faults, but the parser says %v", err)
		}
		last := strings.Count(string(data), "\n") + 1
		for _, d := range file.Definitions {
			if d.Name == "" || d.Name == "_" || d.Line < 1 || d.End < d.Line || d.End > last {
				t.Errorf("definition %+v in a file of %d lines", d, last)
			}
		}
		for _, r := range file.References {
			if r.Name == "" || r.Use == "" || r.Line < 1 || r.Line > last {
				t.Errorf("reference %+v in a file of %d lines", r, last)
			}
		}
	})
}

// TestGoRoot reads the standard library, in which nothing is broken and each function is a definition.
func TestGoRoot(t *testing.T) {
	folder := "net"
	if long.Set {
		folder = "" // some thousand files
	}
	standardLibrary(t, folder, func(name string, data []byte) {
		f := parse(name, data)
		tree, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil || len(f.Faults) > 0 {
			t.Errorf("%s: faults %v, parser: %v", name, f.Faults, err)
			return
		}
		want, got := 0, 0
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "_" && (d.Name.Name != "init" || d.Recv != nil) {
				want++
			}
		}
		for _, d := range f.Definitions {
			if d.Callable() && !d.Abstract {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d functions, want %d", name, got, want)
		}
	})
}

// TestGoSize holds the memory of what files tell below a few times their source.
func TestGoSize(t *testing.T) {
	var files []code.File
	var before, after runtime.MemStats
	source := 0
	var sources [][]byte
	standardLibrary(t, "net/http", func(_ string, data []byte) { sources = append(sources, data) })
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, data := range sources {
		files, source = append(files, parse("x.go", data)), source+len(data)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := int(after.HeapAlloc) - int(before.HeapAlloc)
	t.Logf("%d bytes of source, %d held", source, held)
	if held > 6*source {
		t.Errorf("%d files of %d bytes hold %d bytes", len(files), source, held)
	}
	runtime.KeepAlive(sources)
	runtime.KeepAlive(files)
}

// TestGoHugeFiles reads files that would take minutes or gigabytes if any part of them were read or
// written again for each of its names or levels.
func TestGoHugeFiles(t *testing.T) {
	many, repeat := long.Or(30000, 3000), strings.Repeat
	for name, c := range map[string]struct {
		source string
		want   int // definitions
	}{
		"names of one type": {"var " + repeat("a, ", many) + "a struct{" + repeat("b, ", many) + "b int}", many + 1},
		"fields of one type": {"type T struct {" + repeat("a, ", many) + "a map[struct{" + repeat("b, ", many) +
			"b int}]int }", many + 2},
		"repeated constant": {"const (\na = f(" + repeat("iota, ", many) + "1)\n" + repeat("b\n", many) + ")",
			many + 1},
		"selectors":         {"var a = b" + repeat(".c", many), 1},
		"indices":           {"var a = b" + repeat("[0]", many), 1},
		"function literals": {"func f() {" + repeat("x := func() {", many) + repeat("}", many) + "}", 2},
		"lengths": {"func f() {" + repeat("var x [len(func() {", many/10) + repeat("})]int", many/10) + "}",
			2},
		"pointers": {"var a " + repeat("*", many) + "T\nfunc f() {" + repeat("a.b();", many) + "}", 2},
		"embedded types": {"type T struct {" + repeat("T;", many) + "}\nvar a T\nfunc f() {" + repeat("a.b();", many) +
			"}", many + 3},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse("x.go", []byte("package x\n"+c.source))
			if len(f.Faults) > 0 || len(f.Definitions) != c.want {
				t.Errorf("%d definitions and faults %v, want %d and none", len(f.Definitions), f.Faults, c.want)
			}
			size := 0
			for _, d := range f.Definitions {
				size += len(d.Type)
			}
			for _, r := range f.References {
				size += len(r.Qualifier)
			}
			if size > 10000*many {
				t.Errorf("%d bytes of types and qualifiers", size)
			}
		})
	}
}

// BenchmarkParseGo compares the reading of net/http with what go/parser alone takes for it.
func BenchmarkParseGo(b *testing.B) {
	var sources [][]byte
	size := 0
	standardLibrary(b, "net/http", func(_ string, data []byte) {
		sources, size = append(sources, data), size+len(data)
	})
	for name, read := range map[string]func([]byte){
		"syntax": func(data []byte) { parse("x.go", data) },
		"parser": func(data []byte) { parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, data := range sources {
					read(data)
				}
			}
		})
	}
}
