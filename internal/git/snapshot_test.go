package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

func TestSnapshotHasWhatIsNotIgnored(t *testing.T) {
	b := newBox(t, map[string]string{"kept": "1\n", "edit": "1\n", "gone": "1\n", "sub/hidden": "1\n", "flagged": "1\n",
		".gitignore": "*.o\n/build/\n"})
	b.Git("add", "-f", ".")
	b.Write(map[string]string{"edit": "2\n", "new": "n\n", "x.o": "object", "build/y": "y", "-dash": "d\n",
		"a\nb": "nl\n", "sub/hidden": "2\n", "flagged": "2\n", "script": "#!\n"})
	b.Remove("gone")
	b.Link("/nowhere/at all", "dangling")
	if err := os.Chmod(filepath.Join(b.Dir, "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Flags of the agent's own index hide nothing.
	b.Git("update-index", "--assume-unchanged", "flagged")
	b.Git("update-index", "--skip-worktree", "sub/hidden")
	b.Git("add", "new")
	index := b.Text(".git/index")
	tree := b.whole(b.snapshot(b.open()))
	equal(t, "tree", b.listing(tree), []string{"100644 -dash", "100644 .gitignore", "100644 a\nb", "120000 dangling",
		"100644 edit",
		"100644 flagged", "100644 kept", "100644 new", "100755 script", "100644 sub/hidden"})
	for _, name := range []string{"edit", "flagged", "sub/hidden"} {
		if got := b.Git("cat-file", "blob", tree+":"+name); got != "2" {
			t.Errorf("%s holds %q in the snapshot", name, got)
		}
	}
	if b.Text(".git/index") != index {
		t.Error("the checkout's own index was written")
	}
}

func TestSnapshotLeavesCopiesOut(t *testing.T) {
	b := newBox(t, map[string]string{"tracked": "1\n"})
	b.Write(map[string]string{".env": "e", "-x\ny": "odd", "work": "w"})
	tree := b.whole(b.snapshot(b.open(), ".env", "-x\ny", "tracked", "absent"))
	equal(t, "tree", b.listing(tree), []string{"100644 tracked", "100644 work"})
}

func TestSnapshotRunsNoHookAndNoMonitor(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch '" + ran + "'\n"
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "post-checkout"} {
		path := filepath.Join(b.Dir, ".git", "hooks", hook)
		b.Write(map[string]string{".git/hooks/" + hook: script})
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.Git("config", "core.fsmonitor", filepath.Join(b.Dir, ".git/hooks/pre-commit"))
	b.Write(map[string]string{"f": "2\n"})
	r := b.open()
	b.whole(b.snapshot(r))
	if err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), "side", "main"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(ran); err == nil {
		t.Error("a hook or the monitor was run")
	}
}

// incomplete wants the error and answers with the tree of what could be added.
func incomplete(t *testing.T, tree string, err error, names ...string) string {
	t.Helper()
	var missing *git.IncompleteError
	if !errors.As(err, &missing) {
		t.Fatalf("error %v, want an IncompleteError", err)
	}
	for _, name := range names {
		if !strings.Contains(missing.Detail, name) {
			t.Errorf("%q is not named in %q", name, missing.Detail)
		}
	}
	return tree
}

func TestSnapshotWithARepositoryInside(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Git("init", "-q", "empty")
	b.Write(map[string]string{"empty/x": "x", "a": "a", "z": "z"})
	tree, err := b.snapshot(b.open())
	equal(t, "tree", b.listing(incomplete(t, tree, err, "empty")), []string{"100644 a", "100644 f", "100644 z"})
	inner := newBoxAt(t, filepath.Join(b.Dir, "full"), map[string]string{"x": "x"})
	tree, err = b.snapshot(b.open())
	equal(t, "tree", b.listing(incomplete(t, tree, err, "empty")),
		[]string{"100644 a", "100644 f", "160000 full", "100644 z"})
	if got := b.Git("rev-parse", tree+":full"); got != inner.Git("rev-parse", "HEAD") {
		t.Errorf("submodule at %q", got)
	}
}

// A required filter that fails stops git before it writes anything; the other files are in all the same.
func TestSnapshotWithAFilterThatFails(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "old.bin": "1\n", "gone": "g\n"})
	b.Git("config", "filter.x.clean", "false")
	b.Git("config", "filter.x.required", "true")
	b.Write(map[string]string{".gitattributes": "*.bin filter=x\n", "a": "a\n", "f": "2\n", "m.bin": "m\n",
		"old.bin": "2\n", "z": "z\n", "-y\n": "y\n"})
	b.Remove("gone")
	tree, err := b.snapshot(b.open())
	tree = incomplete(t, tree, err, "m.bin", "old.bin")
	equal(t, "tree", b.listing(tree), []string{"100644 -y\n", "100644 .gitattributes", "100644 a", "100644 f",
		"100644 old.bin", "100644 z"})
	if got := b.Git("cat-file", "blob", tree+":f"); got != "2" {
		t.Errorf("f holds %q in the snapshot", got)
	}
}

func TestSnapshotUsesFilters(t *testing.T) {
	b := newBox(t, map[string]string{".gitattributes": "*.up filter=up\n"})
	b.Git("config", "filter.up.clean", "tr a-z A-Z")
	b.Git("config", "core.autocrlf", "true")
	b.Git("config", "core.safecrlf", "true")
	b.Write(map[string]string{"x.up": "shout\n", "dos": "a\r\nb\r\n", "unix": "a\nb\n"})
	r := b.open()
	tree := b.whole(b.snapshot(r))
	for name, want := range map[string]string{"x.up": "SHOUT", "dos": "a\nb", "unix": "a\nb"} {
		if got := b.Git("cat-file", "blob", tree+":"+name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	ids, err := r.HashFiles(t.Context(), []string{"x.up", "dos"})
	if err != nil || ids[0] != b.Git("rev-parse", tree+":x.up") || ids[1] != b.Git("rev-parse", tree+":dos") {
		t.Errorf("HashFiles = %v, %v", ids, err)
	}
}

// A sparse checkout does not have all files; those that it leaves out were not deleted, and what is put there is work.
func TestSnapshotOfASparseCheckout(t *testing.T) {
	b := newBox(t, map[string]string{"in/f": "1\n", "in/gone": "1\n", "out/f": "1\n", "out/g": "1\n", "root": "r\n"})
	b.Git("sparse-checkout", "set", "in")
	path := filepath.Join(t.TempDir(), "linked")
	if err := b.open().AddWorktree(t.Context(), path, "side", "main"); err != nil {
		t.Fatal(err)
	}
	w := &box{gittest.In(t, path)}
	if _, err := os.Lstat(filepath.Join(path, "out/g")); err == nil {
		t.Skip("this git does not make linked checkouts sparse")
	}
	w.Write(map[string]string{"in/f": "2\n", "in/new": "n\n", "out/f": "2\n", "out/new": "n\n"})
	w.Remove("in/gone")
	r := w.open()
	index := filepath.Join(t.TempDir(), "index")
	for range 2 { // the private index is kept
		tree, err := r.Snapshot(t.Context(), index, "side", nil)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "changes", strings.Split(w.Git("diff-tree", "-r", "--no-commit-id", "--name-status", "main", tree),
			"\n"),
			[]string{"M\tin/f", "D\tin/gone", "A\tin/new", "M\tout/f", "A\tout/new"})
	}
}

func TestSnapshotWithADamagedPrivateIndex(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Write(map[string]string{"f": "2\n"})
	index := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(index, make([]byte, 200), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := b.whole(b.open().Snapshot(t.Context(), index, "main", nil))
	if got := b.Git("cat-file", "blob", tree+":f"); got != "2" {
		t.Errorf("f holds %q in the snapshot", got)
	}
}

func TestSnapshotThatCannotBeTakenIsAnError(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	index := filepath.Join(t.TempDir(), "index")
	b.Write(map[string]string{"f": "2\n"})
	if err := os.WriteFile(index+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := b.open().Snapshot(t.Context(), index, "main", nil)
	var missing *git.IncompleteError
	if err == nil || errors.As(err, &missing) {
		t.Errorf("with a locked index: %v", err)
	}
}

func TestSnapshotOfUnusualRepositories(t *testing.T) {
	from := newBox(t, map[string]string{"f": "1\n"})
	boxes := map[string]*box{
		"SHA-256":         newBox(t, map[string]string{"f": "1\n"}, "--object-format=sha256"),
		"worktree config": newBox(t, map[string]string{"f": "1\n"}),
		"alternates":      {gittest.In(t, filepath.Join(t.TempDir(), "clone"))},
		"odd path":        newBoxAt(t, filepath.Join(t.TempDir(), "-a b\nc"), map[string]string{"f": "1\n"}),
		"no file mode":    newBox(t, map[string]string{"f": "1\n"}),
	}
	from.Git("clone", "-q", "--shared", from.Dir, boxes["alternates"].Dir)
	boxes["worktree config"].Git("config", "extensions.worktreeConfig", "true")
	boxes["worktree config"].Git("config", "--worktree", "core.quotePath", "true")
	boxes["no file mode"].Git("config", "core.fileMode", "false")
	for name, b := range boxes {
		b.Write(map[string]string{"f": "2\n", "new": "n\n"})
		tree := b.whole(b.snapshot(b.open()))
		equal(t, name, b.listing(tree), []string{"100644 f", "100644 new"})
		files, err := b.open().Changes(t.Context(), "HEAD", tree, git.DetectRenames)
		if err != nil || len(files) != 2 {
			t.Errorf("%s: changes %+v, %v", name, files, err)
		}
		data, err := b.open().Blob(t.Context(), find(t, files, "f").NewID)
		if err != nil || string(data) != "2\n" {
			t.Errorf("%s: content %q, %v", name, data, err)
		}
	}
}

func TestHashFilesOfWhatIsNoFile(t *testing.T) {
	b := newBox(t, nil)
	b.Write(map[string]string{"plain": "p\n", "folder/x": "x", "quo\"te\n": "p\n", "-dash": "p\n"})
	b.Link("plain", "link")
	b.Link("missing", "dangling")
	b.Link("folder", "to folder")
	r := b.open()
	paths := []string{"folder", "link", "absent", "plain", "dangling", "quo\"te\n", "to folder", "-dash"}
	ids, err := r.HashFiles(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	tree := b.whole(b.snapshot(r))
	for i, p := range paths {
		want := ""
		if !slices.Contains([]string{"folder", "absent"}, p) {
			want = b.Git("rev-parse", tree+":"+p)
		}
		if ids[i] != want {
			t.Errorf("%q has id %q, want %q", p, ids[i], want)
		}
	}
}
