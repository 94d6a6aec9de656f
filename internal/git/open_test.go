package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"delegate/internal/git"
)

func TestOpenFindsTheCheckoutOfAFolder(t *testing.T) {
	b := newBox(t, map[string]string{"sub/f": "1"})
	linked := filepath.Join(t.TempDir(), "linked")
	b.Git("worktree", "add", "-q", "-b", "side", linked)
	common := filepath.Join(b.Dir, ".git")
	for _, c := range []struct{ dir, gitDir, worktree string }{
		{b.Dir, common, b.Dir},
		{filepath.Join(b.Dir, "sub"), common, b.Dir},
		{linked, filepath.Join(common, "worktrees", "linked"), linked},
		{filepath.Join(linked, "sub"), filepath.Join(common, "worktrees", "linked"), linked},
	} {
		r, err := git.Open(t.Context(), c.dir)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "folders of "+c.dir, []string{r.GitDir, r.CommonDir, r.Worktree},
			[]string{c.gitDir, common, c.worktree})
	}
}

func TestOpenRefuses(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, err := git.Open(t.Context(), bare)
	wantErr(t, err, git.ErrBare)
	_, err = git.Open(t.Context(), t.TempDir())
	wantErr(t, err, git.ErrNotRepository)
	b := newBox(t, nil)
	_, err = git.Open(t.Context(), filepath.Join(b.Dir, ".git"))
	wantErr(t, err, git.ErrBare)
	_, err = git.Open(t.Context(), filepath.Join(b.Dir, "missing"))
	if err == nil {
		t.Error("opened a folder that does not exist")
	}
}

// A repository is found by the folder, whatever a hook or an alias left in the environment.
func TestOpenAndReadInAHostileEnvironment(t *testing.T) {
	b := newBox(t, map[string]string{"sub/f": "1"})
	other := newBox(t, map[string]string{"x": "other"})
	other.Commit("second")
	want, misplaced := b.Git("rev-parse", "HEAD"), filepath.Join(t.TempDir(), "stray")
	for name, value := range map[string]string{
		"GIT_DIR": filepath.Join(other.Dir, ".git"), "GIT_WORK_TREE": other.Dir,
		"GIT_COMMON_DIR": filepath.Join(other.Dir, ".git"),
		"GIT_INDEX_FILE": misplaced, "GIT_OBJECT_DIRECTORY": t.TempDir(), "GIT_NAMESPACE": "n", "GIT_PREFIX": "sub/",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
		"GIT_CONFIG_PARAMETERS": "'core.bare=true'",
		"GIT_LITERAL_PATHSPECS": "1", "GIT_EXTERNAL_DIFF": "false", "GIT_SHALLOW_FILE": misplaced, "GIT_TRACE": "1",
	} {
		t.Setenv(name, value)
	}
	r, err := git.Open(t.Context(), filepath.Join(b.Dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Worktree != b.Dir {
		t.Fatalf("opened %q, want %q", r.Worktree, b.Dir)
	}
	branch, commit, err := r.Head(t.Context())
	if err != nil || branch != "main" || commit != want {
		t.Errorf("Head = %q %q %v, want main %q", branch, commit, err, want)
	}
	if all, err := r.Status(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("status of a clean checkout: %v %v", all, err)
	}
	if _, err := os.Lstat(misplaced); err == nil {
		t.Error("the index of the environment was written")
	}
}

func TestOpenOddPaths(t *testing.T) {
	for _, name := range []string{"with space", "line\nbreak", "-dash", "tail\n", "quo\"te'$x", "ünïcödé"} {
		b := newBoxAt(t, filepath.Join(t.TempDir(), name), map[string]string{"f": "1"})
		r := b.open()
		if r.Worktree != b.Dir {
			t.Errorf("Open of %q answered %q", b.Dir, r.Worktree)
			continue
		}
		path := filepath.Join(filepath.Dir(b.Dir), name+" linked")
		if err := r.AddWorktree(t.Context(), path, "side", "main"); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		linked, err := r.OpenWorktree(path)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if branch, _, err := linked.Head(t.Context()); err != nil || branch != "side" {
			t.Errorf("%q: linked checkout is on %q, %v", name, branch, err)
		}
		if all, err := r.Worktrees(t.Context()); err != nil || len(all) != 2 || all[1].Path != path {
			t.Errorf("%q: worktrees %+v, %v", name, all, err)
		}
	}
}

// Where the git folder lies elsewhere git lists it in place of the main checkout.
func TestMainCheckoutOfASeparateGitFolder(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1"}, "--separate-git-dir="+filepath.Join(t.TempDir(), "store"))
	r := b.open()
	all, err := r.Worktrees(t.Context())
	if err != nil || len(all) != 1 || all[0].Path != b.Dir {
		t.Fatalf("worktrees %+v, %v; want %q", all, err, b.Dir)
	}
	if own, err := r.OpenWorktree(b.Dir); err != nil || own.GitDir != r.GitDir || own.CommonDir != r.CommonDir ||
		own.Worktree != r.Worktree {
		t.Errorf("OpenWorktree = %+v, %v; want %+v", own, err, r)
	}
}

func TestMainCheckoutOfASubmodule(t *testing.T) {
	inner, outer := newBox(t, map[string]string{"f": "1"}), newBox(t, nil)
	outer.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	r, err := git.Open(t.Context(), filepath.Join(outer.Dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "linked")
	if err := r.AddWorktree(t.Context(), path, "side", "HEAD"); err != nil {
		t.Fatal(err)
	}
	linked, err := r.OpenWorktree(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []*git.Repo{r, linked} {
		all, err := at.Worktrees(t.Context())
		if err != nil || len(all) != 2 || all[0].Path != filepath.Join(outer.Dir, "sub") {
			t.Errorf("worktrees seen from %q: %+v, %v", at.Worktree, all, err)
		}
	}
}

func TestWorktreesWithAMissingFolder(t *testing.T) {
	b := newBox(t, nil)
	r, path := b.open(), filepath.Join(t.TempDir(), "gone")
	if err := r.AddWorktree(t.Context(), path, "side", "main"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	all, err := r.Worktrees(t.Context())
	if err != nil || len(all) != 2 || !all[1].Prunable || all[1].Branch != "refs/heads/side" || all[0].Prunable {
		t.Errorf("worktrees %+v, %v", all, err)
	}
	gone, err := r.OpenWorktree(path)
	if err != nil {
		t.Fatal(err)
	}
	// Without its files nothing may be said of them, least of all that all were deleted.
	if tree, err := gone.Snapshot(t.Context(), filepath.Join(t.TempDir(), "index"), "main", nil); err == nil {
		t.Errorf("snapshot of a missing folder gave %q", tree)
	}
	if err := r.RemoveWorktree(t.Context(), path); err != nil {
		t.Error(err)
	}
}

func TestProgram(t *testing.T) {
	if version, err := git.Program(t.Context()); err != nil || version == "" {
		t.Errorf("Program = %q, %v", version, err)
	}
}
