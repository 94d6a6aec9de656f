package git_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWriteOutRunsNoFilter holds that a tree which names the person's filters has none of them run:
// not when it is written out,
// and not when what was written has to be read again.
func TestWriteOutRunsNoFilter(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	b := newBox(t, map[string]string{".gitattributes": "* filter=evil\n", "a": "a\n"})
	for _, way := range []string{"clean", "smudge"} {
		b.Git("config", "filter.evil."+way, "touch '"+ran+"'; cat")
	}
	r, ctx, folder := b.open(), t.Context(), filepath.Join(t.TempDir(), "tree")
	for range 2 {
		if err := r.WriteOut(ctx, b.Git("rev-parse", "HEAD"), folder); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(folder, "a"), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a filter ran")
	}
}
