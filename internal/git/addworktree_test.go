package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAddWorktreeAsGitDoes holds the checkouts that are made here against those that git makes.
func TestAddWorktreeAsGitDoes(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "sub/g": "2\n", "run": "#!/bin/sh\n", "a.x": "x\n",
		".gitattributes": "*.x text eol=crlf\n"})
	b.Link("sub/g", "link")
	if err := os.Chmod(filepath.Join(b.Dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	commit := b.Commit("all kinds")
	r, folder := b.open(), t.TempDir()
	made, own := filepath.Join(folder, "made"), filepath.Join(folder, "own")
	if err := r.AddWorktree(t.Context(), made, "delegate/made", commit); err != nil {
		t.Fatal(err)
	}
	b.Git("worktree", "add", "-q", "--no-track", "-b", "delegate/own", own, commit)
	for name, args := range map[string][]string{
		"files": {"ls-files", "--stage", "--debug"}, "status": {"status", "--porcelain"}, "HEAD": {"rev-parse", "HEAD"},
		"worktree": {"rev-parse", "--is-inside-work-tree"}, "common folder": {"rev-parse", "--git-common-dir"},
		"check": {"fsck", "--no-dangling"}, "move": {"commit", "--allow-empty", "-q", "-m", "x"},
	} {
		if name == "files" { // times and numbers of files differ
			args = args[:2]
		}
		got, gotErr := b.Try(append([]string{"-C", made}, args...)...)
		want, wantErr := b.Try(append([]string{"-C", own}, args...)...)
		if got != want || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: %q, %v; of git's own %q, %v", name, got, gotErr, want, wantErr)
		}
	}
	list := strings.NewReplacer("made", "own")
	parts := strings.Split(b.Git("worktree", "list", "--porcelain"), "\n\n")
	slices.Sort(parts)
	if len(parts) != 3 || !strings.HasPrefix(list.Replace(parts[1]), "worktree "+own) {
		t.Errorf("listed: %q", parts)
	}
	for _, branch := range []string{"delegate/made", "delegate/own"} {
		if log := b.Git("reflog", "show", branch); !strings.HasSuffix(log, "branch: Created from "+commit) {
			t.Errorf("the record of %s: %q", branch, log)
		}
	}
	for _, file := range []string{"f", "sub/g", "run", "link", "a.x"} {
		got, err := os.Lstat(filepath.Join(made, file))
		want, wantErr := os.Lstat(filepath.Join(own, file))
		if err != nil || wantErr != nil || got.Mode() != want.Mode() || got.Size() != want.Size() {
			t.Errorf("%s: %v, %v; of git's own %v, %v", file, got, err, want, wantErr)
		}
	}
	b.Git("worktree", "remove", made)
}

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
	if _, found, err := r.Ref(t.Context(), "refs/heads/side"); found || err != nil {
		t.Errorf("a branch is left: %v", err)
	}
}

// TestAddWorktreeLeavesOddOnesToGit: what a repository is set to beside the usual is git's to carry out.
func TestAddWorktreeLeavesOddOnesToGit(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "sub/g": "2\n"})
	b.Git("sparse-checkout", "set", "--no-cone", "/f")
	path := filepath.Join(t.TempDir(), "sparse")
	if err := b.open().AddDetachedWorktree(t.Context(), path, b.Git("rev-parse", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(path, "sub")); err == nil {
		t.Error("the patterns of a sparse checkout were passed over")
	}
	if at, err := b.open().OpenWorktree(path); err != nil || at.CheckPointers() != nil {
		t.Error(err)
	}
}
