package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddWorktreeWhereAllShareAPlace has a repository whose shared configuration says for all worktrees where git
// works, as that of a submodule does.
func TestAddWorktreeWhereAllShareAPlace(t *testing.T) {
	for key, value := range map[string]string{"core.worktree": "..", "core.bare": "true"} {
		b := newBox(t, map[string]string{"f": "1\n"})
		r, path := b.open(), filepath.Join(t.TempDir(), "made")
		commit := b.Git("rev-parse", "HEAD")
		b.Git("config", "extensions.worktreeConfig", "true")
		b.Git("config", key, value)
		if err := r.AddDetachedWorktree(t.Context(), path, commit); err != nil {
			t.Fatal(err)
		}
		if top, err := b.Try("-C", path, "rev-parse", "--show-toplevel"); err != nil || strings.TrimSpace(top) != path {
			t.Errorf("with %s git works in %q, %v", key, top, err)
		}
	}
}

func TestAddWorktreeByAUsedName(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, commit := b.open(), b.Git("rev-parse", "HEAD")
	for _, folder := range []string{t.TempDir(), t.TempDir(), t.TempDir()} {
		path := filepath.Join(folder, "alike")
		if err := r.AddDetachedWorktree(t.Context(), path, commit); err != nil {
			t.Fatal(err)
		}
		at, err := r.OpenWorktree(path)
		if err != nil || at.CheckPointers() != nil || at.Unfinished() {
			t.Errorf("%+v, %v, %v", at, err, at.CheckPointers())
		}
	}
	b.Git("worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "alike"))
	if all := strings.Fields(b.Git("worktree", "list")); len(all) < 5 {
		t.Errorf("listed %q", all)
	}
}

// TestAddWorktreeRefuses holds that nothing is left of one that cannot be made.
func TestAddWorktreeRefuses(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "g": "2\n"})
	r, commit := b.open(), b.Git("rev-parse", "HEAD")
	full := filepath.Join(t.TempDir(), "full")
	if err := os.MkdirAll(filepath.Join(full, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.AddWorktree(t.Context(), full, "side", commit); err == nil {
		t.Error("made in a folder with files")
	}
	if err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), "main", commit); err == nil {
		t.Error("made on a branch that is there")
	}
	id := b.Git("rev-parse", "HEAD:g")
	blob := filepath.Join(b.Dir, ".git", "objects", id[:2], id[2:])
	if err := os.Rename(blob, blob+".gone"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "half")
	if err := r.AddDetachedWorktree(t.Context(), path, commit); err == nil {
		t.Error("made without one of its files")
	}
	if entries, err := os.ReadDir(filepath.Join(b.Dir, ".git", "worktrees")); err != nil || len(entries) > 0 {
		t.Errorf("left in the repository: %v, %v", entries, err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("its folder is left")
	}
}
