package git_test

import (
	"os"
	"path/filepath"
	"testing"
)

// What differs from the commit is named, whatever the checkout's own index and branch say, and what is ignored is not.
func TestDiffering(t *testing.T) {
	b := newBox(t, map[string]string{"kept": "1\n", "edit": "1\n", "gone": "1\n", "done": "1\n", "flagged": "1\n",
		"touched": "1\n", ".gitignore": "*.o\n/build/\n"})
	base, index := b.Git("rev-parse", "HEAD"), filepath.Join(b.TempDir(), "index")
	repo := b.open()
	differing := func(want ...string) {
		t.Helper()
		got, err := repo.Differing(b.Context(), index, base)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "differing", got, want)
	}
	if err := os.WriteFile(index+".new.lock", nil, 0o600); err != nil { // of one that was killed
		t.Fatal(err)
	}
	b.Write(map[string]string{"edit": "2\n"})
	differing("edit")
	b.Write(map[string]string{"done": "2\n", "new": "n\n", "x.o": "object", "build/y": "y", "dir/a\nb": "nl\n",
		"flagged": "2\n", "touched": "1\n"})
	b.Remove("gone")
	b.Git("add", "done", "new")
	b.Commit("done")
	b.Git("update-index", "--assume-unchanged", "flagged")
	own := b.Text(".git/index")
	differing("dir/a\nb", "done", "edit", "flagged", "gone", "new")
	b.Write(map[string]string{"edit": "1\n", "done": "1\n", "gone": "1\n", "flagged": "1\n"})
	b.Remove("new")
	b.Remove("dir")
	differing()
	if b.Text(".git/index") != own {
		t.Error("the checkout's own index was written")
	}
}
