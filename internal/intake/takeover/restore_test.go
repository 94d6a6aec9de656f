package takeover_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/intake/takeover"
)

// A checkout that is missing in whole or in part is made again with the files of its head, and none of those that are
// there is touched.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(b *box, path string) error
		files string // what f holds afterwards
	}{
		"folder":                 {func(_ *box, path string) error { return os.RemoveAll(path) }, "2\n"},
		"folder and those above": {func(_ *box, path string) error { return os.RemoveAll(filepath.Dir(path)) }, "2\n"},
		"folder and entry": {func(b *box, path string) error {
			defer b.Git("worktree", "prune")
			return os.RemoveAll(path)
		}, "2\n"},
		"folder and branch": {func(b *box, path string) error {
			err := os.RemoveAll(path)
			b.Git("worktree", "prune")
			b.Git("branch", "-D", branch)
			return err
		}, "2\n"},
		"all that is in the folder": {func(_ *box, path string) error {
			return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755))
		}, "2\n"},
		".git": {func(_ *box, path string) error { return os.Remove(filepath.Join(path, ".git")) }, "3\n"},
		".git and entry": {func(b *box, path string) error {
			err := os.Remove(filepath.Join(path, ".git"))
			b.Git("worktree", "prune", "--expire=now")
			return err
		}, "3\n"},
		".git, by a restore that was cut off early": {func(b *box, path string) error {
			b.Git("worktree", "add", "-f", "--no-checkout", path+".restored", branch)
			return os.RemoveAll(filepath.Join(b.Dir, ".git", "worktrees", filepath.Base(path)))
		}, "3\n"},
		".git, by a restore that was cut off late": {func(b *box, path string) error {
			b.Git("worktree", "add", "-f", "--no-checkout", path+".restored", branch)
			return errors.Join(os.RemoveAll(path+".restored"), os.Remove(filepath.Join(path, ".git")),
				os.RemoveAll(filepath.Join(b.Dir, ".git", "worktrees", filepath.Base(path))))
		}, "3\n"},
		"entry and branch": {func(b *box, path string) error {
			err := os.RemoveAll(filepath.Join(b.Dir, ".git", "worktrees"))
			b.Git("branch", "-D", branch)
			return err
		}, "3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			checkout, w := b.agent()
			w.Write(map[string]string{"f": "2\n"})
			head := w.Commit("head")
			w.Git("reset", "--soft", "HEAD~") // the branch is behind
			b.Git("update-ref", "refs/delegate/DEL-1/AGT-001/turn-1", head)
			w.Write(map[string]string{"f": "3\n"})
			request := takeover.Request{Path: checkout.Path, Branch: branch, Commit: head}
			if _, err := takeover.Restore(t.Context(), b.open(), request); !errors.Is(err, takeover.ErrNotMissing) {
				t.Errorf("nothing is missing: %v", err)
			}
			if err := c.spoil(b, checkout.Path); err != nil {
				t.Fatal(err)
			}
			made, err := takeover.Restore(t.Context(), b.open(), request)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(checkout.Path, "f")); string(got) != c.files {
				t.Errorf("f holds %q, %v", got, err)
			}
			if err := made.Repo.CheckPointers(); err != nil {
				t.Error(err)
			}
			if got := w.Git("symbolic-ref", "HEAD"); got != "refs/heads/"+branch {
				t.Errorf("on %q", got)
			}
			if got := w.Git("status", "--porcelain"); (got == "") != (c.files == "2\n") {
				t.Errorf("status %q", got)
			}
		})
	}
}

// A branch that went on, or is elsewhere, is never set back.
func TestRestoreRefuses(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	c, w := b.agent()
	head := w.Commit("head")
	w.Git("reset", "--hard", "HEAD~")
	tip := w.Commit("tip")
	request := takeover.Request{Path: c.Path, Branch: branch, Commit: head}
	other := filepath.Join(t.TempDir(), "other")
	b.Git("worktree", "move", c.Path, other)
	var moved *takeover.MovedError
	if _, err := takeover.Restore(t.Context(), b.open(), request); !errors.As(err, &moved) || moved.Path != other {
		t.Errorf("moved: %v", err)
	}
	b.Git("worktree", "remove", other)
	var exists *takeover.ExistsError
	if _, err := takeover.Restore(t.Context(), b.open(), request); !errors.As(err, &exists) {
		t.Errorf("other commits: %v", err)
	}
	if err := os.Symlink(b.Dir, c.Path); err != nil {
		t.Fatal(err)
	}
	request.Commit = tip
	if _, err := takeover.Restore(t.Context(), b.open(), request); !errors.As(err, &exists) {
		t.Errorf("a link is in its place: %v", err)
	}
	if got := b.Git("rev-parse", branch); got != tip {
		t.Errorf("the branch is at %s, not %s", got, tip)
	}
	// With more than its head the branch is what comes back.
	if err := os.Remove(c.Path); err != nil {
		t.Fatal(err)
	}
	request.Commit = b.Git("rev-parse", tip+"~")
	if _, err := takeover.Restore(t.Context(), b.open(), request); err != nil || w.Git("rev-parse", "HEAD") != tip {
		t.Errorf("restored at another commit: %v", err)
	}
}

// TestRestoreLeavesNoEntry holds that a checkout whose index cannot be made is as it was, and can be restored later.
func TestRestoreLeavesNoEntry(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	c, w := b.agent()
	w.Write(map[string]string{"sub/g": "2\n"})
	w.Commit("a folder")
	id := w.Git("rev-parse", "HEAD:sub")
	tree := filepath.Join(b.Dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.Rename(tree, tree+".gone"), os.Remove(filepath.Join(c.Path, ".git"))); err != nil {
		t.Fatal(err)
	}
	b.Git("worktree", "prune", "--expire=now")
	request := takeover.Request{Path: c.Path, Branch: branch, Commit: b.Git("rev-parse", branch)}
	if _, err := takeover.Restore(t.Context(), b.open(), request); err == nil {
		t.Error("restored without an index")
	}
	if all := b.Git("worktree", "list"); strings.Contains(all, filepath.Base(c.Path)) {
		t.Errorf("left: %s", all)
	}
	if err := os.Rename(tree+".gone", tree); err != nil {
		t.Fatal(err)
	}
	if _, err := takeover.Restore(t.Context(), b.open(), request); err != nil || w.Git("status", "--porcelain") != "" {
		t.Errorf("restored later: %v", err)
	}
}
