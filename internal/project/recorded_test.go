package project

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/registry"
	"delegate/scope"
)

// TestRecorded holds that no file which people commit names a folder of this machine, and that what a command offers by
// the record is the same path again.
func TestRecorded(t *testing.T) {
	home, tmp, at := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", tmp)
	main := filepath.Join(at, "deep", "repo")
	p := &Project{Main: main}
	everything, err := scope.New(scope.Config{Allowed: []string{scope.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	a := registry.Agent{Worktree: main + ".delegate/limits"}
	for path, want := range map[string]string{
		a.Worktree + "/src/a":            "src/a",
		main + "/f":                      "../repo/f",
		main + ".delegate/other/f":       "../repo.delegate/other/f",
		at + "/deep/f":                   "../f",
		at + "/f":                        "../../f",
		home + "/notes/x":                "~/notes/x",
		tmp + "/x":                       "$TMPDIR/x",
		"/etc/passwd":                    "/etc/passwd",
		"/elsewhere/in/no/way/a/place/x": "/elsewhere/in/no/way/a/place/x", // is no folder here
	} {
		got := p.RecordedPath(a, path)
		if got != want {
			t.Errorf("%q is recorded as %q, want %q", path, got, want)
		}
		if p.Allows(everything, got) != (got == "src/a") {
			t.Errorf("%q is allowed by a scope: %t", got, got != "src/a")
		}
		if again, outside := p.placeOf(got); outside != (got != "src/a") || outside && again != path {
			t.Errorf("%q is %q again, %t", got, again, outside)
		}
	}
	for words, want := range map[string]string{
		"Wrote " + a.Worktree + "/src/a, and " + home + ".": "Wrote ./src/a, and ~.",
		"see " + main + ".txt and x" + home + "/y":          "see ../repo.txt and x" + home + "/y",
		"a\x1b[2J\u202e\nb":                                 "a\nb",
	} {
		if got := p.Recorded(a, words); got != want || p.Recorded(a, got) != want {
			t.Errorf("%q is recorded as %q, want %q", words, got, want)
		}
	}
	if _, err := os.Stat("/root"); err == nil {
		if got := p.RecordedPath(a, "/root/x"); got != "…/x" {
			t.Errorf("recorded as %q", got)
		}
		if path, outside := p.placeOf("…/x"); path != "" || !outside {
			t.Errorf("it is %q, %t", path, outside)
		}
	}
}
