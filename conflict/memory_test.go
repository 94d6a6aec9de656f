package conflict_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"delegate/conflict"
)

// TestMemoryChangesNothing holds that what one call of Run read for another is what that would have read itself, which
// TestFixtures compares with what the case wants.
func TestMemoryChangesNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all, memory := pose(t, paths), conflict.NewMemory()
	for range 2 { // what the first time remembers is used the second
		for _, path := range paths {
			c := all[path]
			found, err := conflict.Run(t.Context(), conflict.Request{Pairs: []conflict.Pair{c.pair},
				Analyzers: conflict.Analyzers(), Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			if got := facts(found[0]); got != c.want && c.readable() {
				t.Errorf("%s, with what was read before:\n%s\nwithout:\n%s", path, render(found[0]), c.want)
			}
		}
	}
}
