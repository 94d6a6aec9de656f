package survey_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/gittest"
	"delegate/internal/plan"
	"delegate/internal/survey"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

// box is a repository to write in.
type box struct{ *gittest.Repo }

func newBox(t *testing.T) box { return box{gittest.New(t, nil)} }

// commit writes files and commits all.
func (b box) commit(files map[string]string) string {
	b.Helper()
	b.Write(files)
	return b.Commit("c")
}

func (b box) read(r survey.Request) plan.Facts {
	b.Helper()
	repo, err := git.Open(b.Context(), b.Dir)
	if err != nil {
		b.Fatal(err)
	}
	f, err := survey.Read(b.Context(), repo, r)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func TestCode(t *testing.T) {
	b := newBox(t)
	base := b.commit(map[string]string{
		"go.mod":          "module x.org/m\n",
		"limit/bucket.go": "package limit\n\ntype Bucket struct{}\n\nfunc (Bucket) Take() {}\n",
		"limit/bucket_test.go": "package limit\n\nimport \"testing\"\n\nfunc TestTake(t *testing.T) { " +
			"Bucket{}.Take() }\n",
		"main.go":        "package main\n\nimport \"x.org/m/limit\"\n\nfunc main() { limit.Bucket{}.Take() }\n",
		"vendor/v/v.go":  "package v\n\nfunc V() {}\n",
		"broken.go":      "package main\n\nfunc broken( {\n",
		".gitattributes": "*.go filter=no\n",
	})
	// The checkout is not looked at, and what would change it on the way is not run.
	b.Git("config", "filter.no.smudge", "false")
	b.Git("config", "filter.no.clean", "false")
	b.Remove("main.go")
	f := b.read(survey.Request{Base: base})
	if len(f.Files) != 7 || !slices.Equal(f.Tests, []string{"limit/bucket_test.go"}) {
		t.Errorf("files %q, tests %q", f.Files, f.Tests)
	}
	var symbols []string
	for _, s := range f.Symbols {
		symbols = append(symbols, fmt.Sprintf("%s:%d %s", s.Path, s.Line, s.Name))
	}
	if want := []string{"broken.go:3 broken", "limit/bucket.go:3 Bucket", "limit/bucket.go:5 Bucket.Take",
		"main.go:5 main"}; !slices.Equal(symbols, want) {
		t.Errorf("symbols %q, want %q", symbols, want)
	}
	want := []plan.Link{
		{From: "limit/bucket_test.go", To: "limit/bucket.go", Line: 5, Symbol: "Bucket", At: 3},
		{From: "main.go", To: "limit/bucket.go", Line: 5, Symbol: "Bucket", At: 3},
	}
	if !slices.Equal(f.Links, want) {
		t.Errorf("links %v, want %v", f.Links, want)
	}
	f = b.read(survey.Request{Base: base, Within: func(name string) bool { return strings.HasPrefix(name, "limit/") }})
	if len(f.Files) != 7 || !slices.Equal(f.Links, want[:1]) {
		t.Errorf("within limit: %d files, links %v", len(f.Files), f.Links)
	}
}

func TestHistory(t *testing.T) {
	b := newBox(t)
	wide := map[string]string{}
	for i := range 40 {
		wide[fmt.Sprintf("w/%d", i)] = "1"
	}
	wide["a"], wide["b"], wide["gone"] = "0", "0", "0"
	b.commit(wide)
	b.commit(map[string]string{"a": "1", "b": "1"})
	b.commit(map[string]string{"a": "2", "c": "1", "gone": "1"})
	b.Git("rm", "-q", "gone")
	last := b.commit(map[string]string{"a": "3", "b": "2"})
	b.commit(map[string]string{"a": "4"})
	b.commit(map[string]string{"x": "0", "y": "0"}) // rarely together
	b.commit(map[string]string{"x": "1", "y": "1"})
	for i := range 5 {
		b.commit(map[string]string{"x": fmt.Sprint("x", i)})
		b.commit(map[string]string{"y": fmt.Sprint("y", i)})
	}
	f := b.read(survey.Request{Base: "HEAD"})
	if want := []plan.Together{{A: "a", B: "b", Count: 2, Of: 2, Commit: last}}; !slices.Equal(f.Together, want) {
		t.Errorf("together %+v, want %+v", f.Together, want)
	}
	if f = b.read(survey.Request{Base: "HEAD", Within: func(name string) bool {
		return name != "b"
	}}); len(f.Together) > 0 {
		t.Errorf("together outside of what was asked for: %+v", f.Together)
	}
	if len(f.Gaps) > 0 {
		t.Errorf("gaps %q", f.Gaps)
	}
}

func TestGaps(t *testing.T) {
	b := newBox(t)
	b.commit(map[string]string{"big.go": "package x\n// " + strings.Repeat("x", 600<<10) + "\n",
		"small.go": "package x\n\nfunc F() {}\n"})
	f := b.read(survey.Request{Base: "HEAD"})
	if len(f.Symbols) != 1 || len(f.Gaps) != 1 || !strings.HasPrefix(f.Gaps[0], "the code of 1 of 2 source files") {
		t.Errorf("symbols %v, gaps %q", f.Symbols, f.Gaps)
	}
	repo, err := git.Open(t.Context(), b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := survey.Read(t.Context(), repo, survey.Request{Base: "nowhere"}); err == nil {
		t.Error("a commit that is not there was surveyed")
	}
}

// A clone that lacks files says so, and gets none of them for a look.
func TestPartialClone(t *testing.T) {
	from := newBox(t)
	from.commit(map[string]string{"in/a.go": "package in\n\nfunc A() {}\n", "out/b.go": "package out\n\nfunc B() {}\n",
		"out/c.go": "package out\n\nfunc C() {}\n"})
	from.Git("config", "uploadpack.allowFilter", "true")
	b := box{gittest.In(t, filepath.Join(t.TempDir(), "clone"))}
	from.Git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+filepath.ToSlash(from.Dir), b.Dir)
	b.Git("sparse-checkout", "set", "in")
	b.Git("checkout", "-q", "main")
	before := b.Git("count-objects", "-v")
	f := b.read(survey.Request{Base: "HEAD"})
	if len(f.Files) != 3 || len(f.Symbols) != 1 || len(f.Gaps) != 1 ||
		!strings.HasPrefix(f.Gaps[0], "the code of 2 of 3 source files is not in this clone") {
		t.Errorf("files %q, symbols %v, gaps %q", f.Files, f.Symbols, f.Gaps)
	}
	if after := b.Git("count-objects", "-v"); after != before {
		t.Errorf("objects before\n%s\nand after\n%s", before, after)
	}
}

// History is not read where it could say nothing: fewer than two of the files are there.
func TestHistoryOfNoPair(t *testing.T) {
	b := newBox(t)
	first := b.commit(map[string]string{"a": "0", "b": "0"})
	b.commit(map[string]string{"a": "1", "b": "1"})
	b.Remove(filepath.Join(".git", "objects", first[:2], first[2:]))
	for within, gaps := range map[string]int{"ab": 1, "a": 0, "new": 0} {
		f := b.read(survey.Request{Base: "HEAD", Within: func(name string) bool {
			return strings.Contains(within, name)
		}})
		if len(f.Gaps) != gaps {
			t.Errorf("within %q: gaps %q", within, f.Gaps)
		}
	}
}
