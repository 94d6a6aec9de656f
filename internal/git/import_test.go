package git_test

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
)

// intake is a commit that a quarantine has and the repository lacks.
func (b *box) intake(r *git.Repo) (*git.Repo, git.ImportRequest) {
	b.Helper()
	held := b.quarantine(r)
	tree, err := held.Snapshot(b.Context(), filepath.Join(b.TempDir(), "index"), "HEAD", nil)
	if err != nil {
		b.Fatal(err)
	}
	head := b.Git("rev-parse", "HEAD")
	commit, err := held.CommitTree(b.Context(), tree, "held", head)
	if err != nil {
		b.Fatal(err)
	}
	return held, git.ImportRequest{Tips: []string{commit, head}, Unproven: "refs/heads/theirs/"}
}

func TestImport(t *testing.T) {
	for _, kind := range []string{"whole", "partial"} {
		t.Run(kind, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n", "dir/kept": "k\n"})
			fetched := ""
			if kind == "partial" {
				b, fetched = b.partial()
			}
			// names what is missing, as a branch in a quarantine does outside of it
			b.Git("update-ref", "refs/heads/broken", "HEAD")
			if err := os.WriteFile(filepath.Join(b.Dir, ".git", "refs", "heads", "broken"),
				[]byte(strings.Repeat("1", 40)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := b.open()
			b.Write(map[string]string{"f": "2\n", "new": "n\n"})
			b.Git("read-tree", "HEAD")
			held, in := b.intake(r)
			var unsound *git.TakeOverError
			if err := r.Connected(t.Context(), in); !errors.As(err, &unsound) ||
				!strings.Contains(unsound.Detail, in.Tips[0]) {
				t.Errorf("before: %v", err)
			}
			if lacking, err := r.Missing(t.Context(), in.Tips); err != nil || len(lacking) != 1 ||
				lacking[0] != in.Tips[0] {
				t.Errorf("it lacks %q, %v", lacking, err)
			}
			if err := r.Import(t.Context(), held, in); err != nil {
				t.Fatal(err)
			}
			if err := r.Connected(t.Context(), in); err != nil {
				t.Error(err)
			}
			if got := b.Git("show", in.Tips[0]+":new"); got != "n" {
				t.Errorf("new is %q", got)
			}
			if _, err := os.Lstat(fetched); fetched != "" && err == nil {
				t.Error("something was fetched")
			}
			if err := r.Import(t.Context(), held, in); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// git takes what its lax checks let pass; what comes from somebody else has to pass the strict ones.
func TestImportIsStrict(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r := b.open()
	folder := filepath.Join(t.TempDir(), "held")
	held, err := r.Quarantine(folder)
	if err != nil {
		t.Fatal(err)
	}
	blob := b.Git("rev-parse", "HEAD:f")
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	for name, tree := range map[string]string{"dot git": "100644 .git\x00", "two of a name": "100644 a\x00"} {
		data := tree + string(raw)
		if name == "two of a name" {
			data += data
		}
		file := filepath.Join(t.TempDir(), "tree")
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		id := b.Git("hash-object", "-t", "tree", "-w", "--literally", file)
		kept := filepath.Join(b.Dir, ".git", "objects", id[:2], id[2:])
		moved := filepath.Join(folder, "objects", id[:2], id[2:])
		if err := errors.Join(os.MkdirAll(filepath.Dir(moved), 0o700), os.Rename(kept, moved)); err != nil {
			t.Fatal(err)
		}
		commit, err := held.CommitTree(t.Context(), id, "odd")
		if err != nil {
			t.Fatal(err)
		}
		in := git.ImportRequest{Tips: []string{commit}, Unproven: "refs/heads/theirs/"}
		var unsound *git.TakeOverError
		if err := r.Import(t.Context(), held, in); !errors.As(err, &unsound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSetHead(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r := b.open()
	commit := b.Git("rev-parse", "HEAD")
	if err := r.SetHead(t.Context(), commit, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.Text(".git/HEAD"); got != commit+"\n" {
		t.Errorf("HEAD is %q", got)
	}
	if err := r.SetHead(t.Context(), "refs/heads/main", "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.Text(".git/HEAD"); got != "ref: refs/heads/main\n" {
		t.Errorf("HEAD is %q", got)
	}
	if err := r.SetHead(t.Context(), strings.Repeat("1", 40), "test"); err == nil {
		t.Error("HEAD is at a commit that is not there")
	}
}

func TestFollowIndex(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, from := b.open(), b.Git("rev-parse", "HEAD")
	to := b.branch("to", from, map[string]string{"f": "2\n"})
	b.Git("read-tree", "--reset", from)
	if err := r.FollowIndex(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if got := b.Git("diff", "--cached", "--name-only", to); got != "" || b.Text("f") != "2\n" {
		t.Errorf("staged %q, f is %q", got, b.Text("f"))
	}
	b.Write(map[string]string{"staged": "s\n"})
	b.Git("add", "staged")
	if err := r.FollowIndex(t.Context(), to, from); err != nil {
		t.Fatal(err)
	}
	if got := b.Git("diff", "--cached", "--name-only", to); got != "staged" {
		t.Errorf("staged %q", got)
	}
	b.Git("read-tree", "--reset", to)
	b.Write(map[string]string{".git/index.lock": ""})
	var locked *git.LockedError
	if err := r.FollowIndex(t.Context(), to, from); !errors.As(err, &locked) {
		t.Errorf("a locked index: %v", err)
	}
}

func TestLooseRefs(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	if !b.open().LooseRefs() {
		t.Error("references are files here")
	}
	b.Write(map[string]string{".git/reftable/tables.list": ""})
	if b.open().LooseRefs() {
		t.Error("references are no files here")
	}
}

// A git that was ended, or could not write, says nothing of the objects: they are looked at again.
func TestKilledGitFindsNothingUnsound(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	b.Write(map[string]string{"f": "2\n"})
	r := b.open()
	held, in := b.intake(r)
	for _, sub := range []string{"unpack-objects", "pack-objects", "rev-list"} {
		t.Run(sub, func(t *testing.T) {
			watchGit(t, "if test $sub = "+sub+"; then cat >/dev/null; kill -9 $$; fi")
			err := r.Import(t.Context(), held, in)
			var unsound *git.TakeOverError
			if err == nil || errors.As(err, &unsound) {
				t.Errorf("error %v, want that of a killed git", err)
			}
		})
	}
	if err := r.Import(t.Context(), held, in); err != nil {
		t.Error(err)
	}
}

// A branch's index is left as it is only where somebody staged something or its commit is gone;
// what git cannot tell is an error.
func TestFollowIndexOfADamagedIndex(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	first := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"f": "2\n"})
	second := b.Commit("second")
	r := b.open()
	if err := r.FollowIndex(t.Context(), strings.Repeat("1", 40), second); err != nil {
		t.Errorf("from a commit that is gone: %v", err)
	}
	if err := os.WriteFile(r.IndexPath(), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.FollowIndex(t.Context(), second, first); err == nil {
		t.Error("nothing is said")
	}
}
