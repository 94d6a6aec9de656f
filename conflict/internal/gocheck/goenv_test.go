package gocheck

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func TestGoroot(t *testing.T) {
	base := t.TempDir()
	here, there, bare := filepath.Join(base, "here"), filepath.Join(base, "there"), filepath.Join(base, "bare")
	for _, folder := range []string{here + "/src/fmt", there + "/src/fmt", there + "/bin", bare + "/bin",
		base + "/links"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{there + "/bin/go", bare + "/bin/go", there + "/bin/go.exe", bare + "/bin/go.exe"} {
		if err := os.WriteFile(program, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go", "go.exe"} {
		if err := os.Symlink(filepath.Join(there, "bin", name), filepath.Join(base, "links", name)); err != nil {
			t.Skipf("links are not permitted: %v", err)
		}
	}
	there, err := filepath.EvalSymlinks(there)
	if err != nil {
		t.Fatal(err)
	}
	list := func(folders ...string) (all string) {
		for _, f := range folders {
			all += f + string(filepath.ListSeparator)
		}
		return all
	}
	cases := map[string]struct{ known, list, want string }{
		"the known one":                   {here, list(there + "/bin"), here},
		"the one in the path":             {"", list(base, there+"/bin"), there},
		"through a link":                  {filepath.Join(base, "gone"), list(filepath.Join(base, "links")), there},
		"one without sources is no use":   {bare, list(bare+"/bin", there+"/bin"), there},
		"none":                            {bare, list(base, bare+"/bin"), ""},
		"none known and nowhere to look":  {"", "", ""},
		"a known one that is not Go's":    {base, "", ""},
		"an empty entry of the path list": {"", list("", there+"/bin"), there},
	}
	for name, c := range cases {
		if got := goroot(c.known, c.list); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestModCache(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "env")
	two := filepath.Join(base, "first") + string(filepath.ListSeparator) + filepath.Join(base, "second")
	cases := map[string]struct {
		env  map[string]string
		file string
		want string
	}{
		"of the environment": {map[string]string{"GOMODCACHE": "/cache", "GOPATH": two}, "GOMODCACHE=/other\n",
			"/cache"},
		"of the file":              {map[string]string{"GOPATH": two}, "GOPROXY=off\nGOMODCACHE=/other\n", "/other"},
		"the first GOPATH":         {map[string]string{"GOPATH": two}, "", filepath.Join(base, "first", "pkg", "mod")},
		"the first GOPATH in file": {nil, "GOPATH=" + two + "\n", filepath.Join(base, "first", "pkg", "mod")},
		"environment against file": {map[string]string{"GOPATH": two}, "GOPATH=/third\n",
			filepath.Join(base, "first", "pkg", "mod")},
		"nothing but a similar key": {map[string]string{"GOPATH": two}, "XGOMODCACHE=/other\n",
			filepath.Join(base, "first", "pkg", "mod")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOENV", file)
			for _, key := range []string{"GOMODCACHE", "GOPATH"} {
				t.Setenv(key, c.env[key])
			}
			if err := os.WriteFile(file, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := modCache(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Without a Go installation nothing is known of other packages, and what is wrong without them is still found.
func TestNothingOnDisk(t *testing.T) {
	c := New(Options{GOROOT: t.TempDir(), ModCache: t.TempDir()})
	c.std.files, c.cache.files = nil, nil
	tree := fstest.MapFS{
		"go.mod": {Data: []byte("module example.com/m\n\ngo 1.26\n\nrequire example.org/lib v1.0.0\n")},
		"a.go": {Data: []byte("package m\n\nimport (\n\t\"example.org/lib\"\n\t\"fmt\"\n)\n\nvar x int = " +
			"fmt.Sprint(lib.X)\n\nvar y int = \"\"\n")},
	}
	r, err := c.Check(t.Context(), tree, []string{"."})
	if err != nil || len(r.Problems) != 1 || r.Problems[0].Line != 10 ||
		!slices.Equal(r.Unresolved, []string{"example.org/lib", "fmt"}) {
		t.Errorf("%+v, %v", r, err)
	}
}
