package conflict_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestFixtures lets real git merge each case and holds the findings against what the case wants;
// with CONFLICT_FIXTURES=write it writes them there instead, to be read in the diff.
func TestFixtures(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all := pose(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar"),
			func(t *testing.T) {
				c := all[path]
				c.needReaders(t)
				switch got := render(run(t, c.pair)); {
				case got == c.want:
				case os.Getenv("CONFLICT_FIXTURES") == "write":
					rewrite(t, path, got)
				default:
					t.Errorf("found:\n%s\nwant:\n%s", got, c.want)
				}
			})
	}
}

// rewrite puts other findings into a case.
func rewrite(t *testing.T, path, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	archive.Files[at].Data = []byte(want)
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// render writes findings as the fixtures have them.
func render(found []conflict.Finding) string {
	var b strings.Builder
	for _, f := range found {
		blocking := ""
		if f.Blocking {
			blocking = " blocking"
		}
		fmt.Fprintf(&b, "%s %s %s%s\n  %s\n  > %s\n", f.Type, f.Severity, f.Certainty, blocking, f.Message, f.Advice)
		for _, p := range f.Places {
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %s %s:%d %s", p.Agent, p.Path, p.Line, p.Symbol), " "))
		}
	}
	return b.String()
}
