package conflict_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/conflict"
)

// TestFixtures lets real git merge each case and holds the findings against what the case wants.
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
				if got := render(run(t, c.pair)); got != c.want {
					t.Errorf("found:\n%s\nwant:\n%s", got, c.want)
				}
			})
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
