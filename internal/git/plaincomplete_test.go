package git_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRemoveWorktreeTakesNoProcess takes a linked checkout away with what git keeps of it; the main one, and one
// that is locked, are git's to refuse.
func TestRemoveWorktreeTakesNoProcess(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "d/g": "2\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	for _, path := range paths {
		b.Git("worktree", "add", "-q", "--detach", path)
	}
	if err := os.Symlink(outside, filepath.Join(paths[0], "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(paths[0], "d"), 0o500); err != nil {
		t.Fatal(err)
	}
	b.Git("worktree", "lock", paths[1])
	r, ran := b.open(), watchGit(t, "")
	if err := r.RemoveWorktree(t.Context(), paths[0]); err != nil {
		t.Fatal(err)
	}
	equal(t, "processes", ran(), nil)
	for _, path := range []string{paths[1], b.Dir} {
		if err := r.RemoveWorktree(t.Context(), path); err == nil {
			t.Errorf("%q is removed", path)
		}
	}
	all, err := r.Worktrees(t.Context())
	if err != nil || len(all) != 2 || all[1].Path != paths[1] {
		t.Errorf("left: %+v, %v", all, err)
	}
	if _, err := os.Lstat(paths[0]); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine\n" {
		t.Errorf("what a link led to: %q, %v", data, err)
	}
}
