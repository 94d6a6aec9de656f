package gocheck_test

import (
	"bytes"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/conflict/internal/gocheck"
)

// TestThisRepository checks packages that stand still, with what they need from the module cache.
func TestThisRepository(t *testing.T) {
	r, err := gocheck.New(gocheck.Options{}).Check(t.Context(), os.DirFS("../.."),
		[]string{"change", "checkpoint", "scope", "internal/sys/run", "internal/sys/atomicfile",
			"internal/project/config"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Errorf("%s:%d: %s", p.Path, p.Line, p.Message)
	}
	if len(r.Unresolved) > 0 {
		t.Skipf("these modules were not downloaded: %q", r.Unresolved)
	}
}

// TestStandardLibrary copies packages of the library into a module, and then takes one declaration from one of them.
func TestStandardLibrary(t *testing.T) {
	tree := fstest.MapFS{"go.mod": {Data: []byte("module copy.test\n\ngo 1.26\n")}}
	copied := []string{"bufio", "encoding/csv", "mime/multipart", "net/textproto", "text/tabwriter", "text/template",
		"text/template/parse"}
	for _, name := range copied {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skipf("no sources of %q here, %v", name, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, own := range copied {
				text = bytes.ReplaceAll(text, []byte(`"`+own+`"`), []byte(`"copy.test/`+own+`"`))
			}
			tree[path.Join(name, filepath.Base(file))] = &fstest.MapFile{Data: text}
		}
	}
	// Only the library itself may import what is internal to it.
	isInternal := func(line string) bool { return strings.Contains(line, "use of internal package") }
	c := gocheck.New(gocheck.Options{})
	problems, unresolved := check(t, c, tree)
	wantLines(t, "problems", slices.DeleteFunc(problems, isInternal), nil)
	wantLines(t, "unresolved", unresolved, nil)

	parse := tree["text/template/parse/parse.go"]
	tree["text/template/parse/parse.go"] = &fstest.MapFile{Data: bytes.ReplaceAll(parse.Data, []byte("IsEmptyTree("),
		[]byte("IsBareTree("))}
	problems, _ = check(t, c, tree)
	problems = slices.DeleteFunc(problems, isInternal)
	if len(problems) == 0 || slices.ContainsFunc(problems, func(line string) bool {
		return !strings.HasSuffix(line, "IsEmptyTree")
	}) {
		t.Errorf("without IsEmptyTree:\n%s", strings.Join(problems, "\n"))
	}
}

// BenchmarkLibrary is the first check by a checker: all that net/http needs is read and checked.
func BenchmarkLibrary(b *testing.B) {
	tree := treeOf("-- go.mod --\nmodule m\n\ngo 1.26\n-- a.go --\npackage m\n\nimport \"net/http\"\n\nvar C " +
		"http.Client\n")
	for b.Loop() {
		if r, err := gocheck.New(gocheck.Options{}).Check(b.Context(), tree, []string{"."}); err != nil ||
			len(r.Problems)+len(r.Unresolved) > 0 {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkAgain checks this repository again and again, as one does for trees that hardly differ.
func BenchmarkAgain(b *testing.B) {
	c, tree := gocheck.New(gocheck.Options{}), os.DirFS("../..")
	folders := []string{"change", "checkpoint", "conflict", "scope", "registry", "worktree", "internal/sys/run",
		"internal/git", "internal/project/config", "cmd/delegate"}
	if _, err := c.Check(b.Context(), tree, folders); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"same", "one file changed"} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				seen := tree
				if name != "same" {
					seen = edited{tree, "scope/scope.go", fmt.Sprintf("\nvar edit%d = 1\n", n)}
				}
				if _, err := c.Check(b.Context(), seen, folders); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// edited is a tree with something added to one file.
type edited struct {
	fs.FS
	name, more string
}

func (e edited) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(e.FS, name)
	if name == e.name {
		text = append(text, e.more...)
	}
	return text, err
}

// FuzzCheck gives any text as a file of a package and of its tests.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		"package m\n\nvar x int = \"\"\n", "package m\n\nimport (\n\t\"m/a\"\n\t\"fmt\"\n)\n\nvar x = a.A{}.B\n",
		"package m\n\nimport . \"m/gone\"\n\ntype T[P any] struct{ P }\n", "//go:build x && (\n\npackage m\n",
		"package m\n\nimport \"m/a\"\"\t0\"\n", "package m_test\n\nimport \"C\"\n", "",
	} {
		f.Add(text)
	}
	empty := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		tree := treeOf("-- go.mod --\nmodule m\n\ngo 1.26\n-- a/a.go --\npackage a\n\nimport \"m\"\n\ntype A m.A\n")
		tree["x.go"], tree["x_test.go"] = &fstest.MapFile{Data: []byte(text)}, &fstest.MapFile{Data: []byte(text)}
		r, err := gocheck.New(gocheck.Options{GOROOT: empty, ModCache: empty}).Check(t.Context(), tree,
			[]string{".", "a"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			if _, there := tree[p.Path]; !there || p.Line < 1 || p.Message == "" ||
				strings.ContainsAny(p.Message, "\n\t") {
				t.Errorf("%+v", p)
			}
		}
	})
}
