package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/gittest"
)

// What is known of objects is given again without git; whoever changes an answer changes their own.
func TestFactsAreAskedOnce(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n", "b": "1\n"})
	from := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"a": "2\n", "b": "2\n"})
	to := b.Commit("second")
	r := b.open()
	ask := func() []string {
		t.Helper()
		files, err := r.Changes(t.Context(), from, to, git.RawEntries)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i, f := range files {
			paths = append(paths, f.Path)
			files[i].Path = "spoiled"
		}
		base, err := r.At(r.GitDir, r.Worktree).MergeBase(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		return append(paths, base)
	}
	want := []string{"a", "b", from}
	equal(t, "with the objects", ask(), want)
	objects := filepath.Join(b.Dir, ".git", "objects")
	if err := os.Rename(objects, objects+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(objects, 0o755); err != nil { // or else it is no repository
		t.Fatal(err)
	}
	equal(t, "without them", ask(), want)
	if _, err := b.open().Changes(t.Context(), from, to, git.RawEntries); err == nil {
		t.Error("another Repo knows what it never asked")
	}
}

// A name stands for another commit later, a missing object can come, and a quarantine goes.
func TestFactsAreOfFullIDsAlone(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n"})
	first := b.Git("rev-parse", "HEAD")
	r := b.open()
	if inside, err := r.IsAncestor(t.Context(), "main", first); err != nil || !inside {
		t.Fatalf("%v, %v", inside, err)
	}
	b.Write(map[string]string{"a": "2\n"})
	second := b.Commit("second")
	if inside, err := r.IsAncestor(t.Context(), "main", first); err != nil || inside {
		t.Errorf("what main was is taken for what it is: %v, %v", inside, err)
	}
	objects := filepath.Join(b.Dir, ".git", "objects")
	if err := os.Rename(objects, objects+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.IsAncestor(t.Context(), first, second); err == nil {
		t.Error("objects that are missing were compared")
	}
	if err := os.Rename(objects+".away", objects); err != nil {
		t.Fatal(err)
	}
	if inside, err := r.IsAncestor(t.Context(), first, second); err != nil || !inside {
		t.Errorf("objects that came back: %v, %v", inside, err)
	}
	q, err := r.Quarantine(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made, err := q.CommitTree(t.Context(), b.Git("rev-parse", "HEAD^{tree}"), "gone soon", second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.TreeOf(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(q.ObjectFolder()); err != nil {
		t.Fatal(err)
	}
	if _, err := q.TreeOf(t.Context(), made); err == nil || errors.Is(err, git.ErrNoCommit) {
		t.Errorf("a repository that git cannot open lacks a commit: %v", err)
	}
	if err := os.Mkdir(q.ObjectFolder(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := q.TreeOf(t.Context(), made); !errors.Is(err, git.ErrNoCommit) {
		t.Errorf("the tree of a commit that is gone: %v", err)
	}
}

// A shallow repository can get the history that it lacks.
func TestFactsOfAShallowRepository(t *testing.T) {
	whole := newBox(t, map[string]string{"a": "1\n"})
	first := whole.Git("rev-parse", "HEAD")
	whole.Write(map[string]string{"a": "2\n"})
	second := whole.Commit("second")
	b := &box{gittest.In(t, filepath.Join(t.TempDir(), "shallow"))}
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.Git("clone", "-q", "--depth=1", "file://"+whole.Dir, ".")
	b.Git("fetch", "-q", "--depth=1", "origin", first)
	r := b.open()
	if inside, err := r.IsAncestor(t.Context(), first, second); err != nil || inside {
		t.Fatalf("before its history came: %v, %v", inside, err)
	}
	b.Git("fetch", "-q", "--unshallow", "origin")
	if inside, err := r.IsAncestor(t.Context(), first, second); err != nil || !inside {
		t.Errorf("after its history came: %v, %v", inside, err)
	}
}
