package git_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/run"
)

// The first look by a copy of the index that git made the files with takes a git for what is added and one for the
// tree. Where anything is not as it was copied, the index is made anew and git is asked what is staged.
func TestSnapshotByTheCopiedIndex(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *box, r *git.Repo, index string)
		asked  []string // beside these
	}{
		"as it was": {func(*box, *git.Repo, string) {}, nil},
		"something ignored is staged": {func(b *box, _ *git.Repo, _ string) { b.Git("add", "-f", "log/x") },
			[]string{"ls-files", "add"}},
		"another commit": {func(b *box, _ *git.Repo, _ string) { b.Git("commit", "-qam", "next") },
			[]string{"read-tree", "ls-files"}},
		"an index that a look changed": {func(b *box, r *git.Repo, index string) {
			if _, err := r.Snapshot(b.Context(), index, b.Git("rev-parse", "HEAD"), nil); err != nil {
				b.Fatal(err)
			}
			b.Write(map[string]string{"h": "later\n"})
		}, []string{"read-tree", "ls-files"}},
		"an index that is none": {func(b *box, _ *git.Repo, index string) {
			if err := os.WriteFile(index, []byte("DIRC"), 0o600); err != nil {
				b.Fatal(err)
			}
		}, []string{"read-tree", "read-tree", "diff-files", "ls-files", "ls-files"}},
		"the machine was started since": {func(b *box, _ *git.Repo, index string) {
			note, err := os.ReadFile(index + ".copied")
			if err == nil {
				note = bytes.ReplaceAll(note, []byte(run.Boot()), []byte("earlier"))
				err = os.WriteFile(index+".copied", note, 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
		}, []string{"read-tree", "ls-files"}},
		"a sparse checkout": {func(b *box, r *git.Repo, index string) {
			b.Git("sparse-checkout", "set", "--no-cone", "/*")
			if err := r.CopyIndex(index, b.Git("rev-parse", "HEAD")); err != nil {
				b.Fatal(err)
			}
		}, []string{"add", "diff-files", "read-tree", "ls-files", "ls-files"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{".gitignore": "log\n", "f": "1\n", "g": "1\n"})
			index := filepath.Join(t.TempDir(), "look", "index")
			r := b.open()
			if err := r.CopyIndex(index, b.Git("rev-parse", "HEAD")); err != nil {
				t.Fatal(err)
			}
			b.Write(map[string]string{"f": "2\n", "new/h": "3\n", "log/x": "4\n"})
			c.change(b, r, index)
			log := watchGit(t, "")
			tree, err := b.open().Snapshot(t.Context(), index, b.Git("rev-parse", "HEAD"), nil)
			asked := slices.DeleteFunc(log(), func(sub string) bool { return sub == "config" || sub == "rev-parse" })
			if err != nil || b.Git("cat-file", "blob", tree+":f") != "2" ||
				b.Git("cat-file", "blob", tree+":new/h") != "3" {
				t.Fatalf("tree %q: %v", tree, err)
			}
			staged := strings.HasPrefix(name, "something")
			if got := b.Git("ls-tree", "-r", "--name-only", tree, "--", "log"); (got != "") != staged {
				t.Errorf("of what is ignored it has %q", got)
			}
			want := append([]string{"add", "write-tree"}, c.asked...)
			slices.Sort(want)
			slices.Sort(asked)
			equal(t, "processes", asked, want)
		})
	}
}

// What is staged is an agent's file where no fence keeps it from its git folder: one that claims terabytes is not read
// into memory, nor is a pipe waited for.
func TestSnapshotOfWhatSaysTooMuchIsStaged(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	index := filepath.Join(t.TempDir(), "index")
	r, head := b.open(), b.Git("rev-parse", "HEAD")
	if err := errors.Join(r.CopyIndex(index, head), os.Truncate(r.IndexPath(), 1<<42)); err != nil {
		t.Fatal(err)
	}
	b.Write(map[string]string{"f": "2\n"})
	var exit *run.ExitError
	if tree, err := b.open().Snapshot(t.Context(), index, head, nil); !errors.As(err, &exit) {
		t.Errorf("tree %q, %v", tree, err)
	}
}
