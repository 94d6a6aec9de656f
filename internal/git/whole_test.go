//go:build linux || darwin

package git_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/sys/run"
)

// question is a call whose answer cannot be empty.
type question func(ctx context.Context, r *git.Repo) error

// two is the error of a call with a result.
func two[T any](_ T, err error) error { return err }

// readings and writings are all calls that must not take an empty answer for one, by names.
func (b *box) readings() map[string]question {
	head, first := b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD~1")
	tree, base := b.Git("rev-parse", "HEAD^{tree}"), b.Git("rev-parse", "HEAD~1^{tree}")
	file := b.Git("rev-parse", "HEAD:f")
	return map[string]question{
		"Open":    func(ctx context.Context, r *git.Repo) error { return two(git.Open(ctx, r.Worktree)) },
		"Program": func(ctx context.Context, _ *git.Repo) error { return two(git.Program(ctx)) },
		"Resolve": func(ctx context.Context, r *git.Repo) error { return two(r.Resolve(ctx, "HEAD")) },
		"TreeOf":  func(ctx context.Context, r *git.Repo) error { return two(r.TreeOf(ctx, "HEAD")) },
		"Parents": func(ctx context.Context, r *git.Repo) error { return two(r.Parents(ctx, "HEAD")) },
		"Head":    func(ctx context.Context, r *git.Repo) error { _, _, err := r.Head(ctx); return err },
		"Ref": func(ctx context.Context, r *git.Repo) error {
			_, _, err := r.Ref(ctx, "refs/heads/main")
			return err
		},
		"Tip":       func(ctx context.Context, r *git.Repo) error { _, _, err := r.Tip(ctx, "main"); return err },
		"MergeBase": func(ctx context.Context, r *git.Repo) error { return two(r.MergeBase(ctx, "main", "HEAD")) },
		"MergeBases": func(ctx context.Context, r *git.Repo) error {
			return two(r.MergeBases(ctx, []string{head, first}))
		},
		"Status":    func(ctx context.Context, r *git.Repo) error { return two(r.Status(ctx)) },
		"Worktrees": func(ctx context.Context, r *git.Repo) error { return two(r.Worktrees(ctx)) },
		"Changes": func(ctx context.Context, r *git.Repo) error {
			return two(r.Changes(ctx, "HEAD~1", "HEAD", git.DetectRenames))
		},
		"ChangesAll": func(ctx context.Context, r *git.Repo) error {
			return two(r.ChangesAll(ctx, []git.Span{{Base: base, Head: tree}}))
		},
		"Files":     func(ctx context.Context, r *git.Repo) error { return two(r.Files(ctx, "HEAD")) },
		"Entries":   func(ctx context.Context, r *git.Repo) error { return two(r.Entries(ctx, tree)) },
		"Blob":      func(ctx context.Context, r *git.Repo) error { return two(r.Blob(ctx, file)) },
		"HashFiles": func(ctx context.Context, r *git.Repo) error { return two(r.HashFiles(ctx, []string{"f"})) },
		"Lacking":   func(ctx context.Context, r *git.Repo) error { return two(r.Missing(ctx, []string{head})) },
		"Connected": func(ctx context.Context, r *git.Repo) error {
			return r.Connected(ctx, git.ImportRequest{Tips: []string{head}, Unproven: "refs/heads/x/"})
		},
		"Committer": func(ctx context.Context, r *git.Repo) error { return two(r.Committer(ctx)) },
		"HooksPath": func(ctx context.Context, r *git.Repo) error { return two(r.HooksPath(ctx)) },
		"Filters":   func(ctx context.Context, r *git.Repo) error { return two(r.Filters(ctx)) },
		"IgnoredFolders": func(ctx context.Context, r *git.Repo) error {
			return two(r.IgnoredFolders(ctx, []string{"ignored"}))
		},
		"Message": func(ctx context.Context, r *git.Repo) error { return two(r.Message(ctx, "HEAD")) },
		"Blobs": func(ctx context.Context, r *git.Repo) error {
			blobs := r.OpenBlobs(ctx)
			defer blobs.Close()
			_, _, err := blobs.Read("HEAD:f", 100)
			return err
		},
	}
}

func (b *box) writings() map[string]question {
	head, tree, file := b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD^{tree}"), b.Git("rev-parse", "HEAD:f")
	index := filepath.Join(b.TempDir(), "index")
	return map[string]question{
		"CommitTree": func(ctx context.Context, r *git.Repo) error {
			return two(r.CommitTree(ctx, tree, "m", head))
		},
		"CommitTreeLike": func(ctx context.Context, r *git.Repo) error {
			return two(r.CommitTreeLike(ctx, tree, "m", head))
		},
		"Commit": func(ctx context.Context, r *git.Repo) error {
			return two(r.Commit(ctx, git.NewCommit{Tree: tree, Message: "m"}))
		},
		"WriteBlob": func(ctx context.Context, r *git.Repo) error { return two(r.WriteBlob(ctx, []byte("x"))) },
		"EmptyTree": func(ctx context.Context, r *git.Repo) error { return two(r.EmptyTree(ctx)) },
		"Merge":     func(ctx context.Context, r *git.Repo) error { return two(r.Merge(ctx, "main", "HEAD")) },
		"MergeAll": func(ctx context.Context, r *git.Repo) error {
			return two(r.MergeAll(ctx, []git.Pair{{Ours: head, Theirs: head}}))
		},
		"Snapshot": func(ctx context.Context, r *git.Repo) error { return two(r.Snapshot(ctx, index, head, nil)) },
		"EditTree": func(ctx context.Context, r *git.Repo) error {
			return two(r.EditTree(ctx, tree, []git.Entry{{Mode: 0o100644, ID: file, Path: "g"}}))
		},
	}
}

func newAsked(t *testing.T) *box {
	b := newBox(t, map[string]string{"f": "1\n", ".gitignore": "ignored/\n"})
	b.Write(map[string]string{"f": "2\n"})
	b.Commit("second")
	b.Git("config", "filter.x.clean", "cat")
	b.Git("config", "i18n.commitEncoding", "UTF-8") // so that git makes the commits
	return b
}

// pack puts objects and references into packs: what lies in files of its own needs no git to be read.
func (b *box) pack() {
	b.Git("repack", "-a", "-d", "-q")
	b.Git("pack-refs", "--all")
}

// opened is the repository before anything is known of it: its configuration is another one than when it was opened.
func (b *box) opened() *git.Repo {
	r := b.open()
	b.Git("config", "test.opened", b.TempDir())
	return r
}

// An answer that is not there is none, although git ends well.
func TestNoAnswerIsAnError(t *testing.T) {
	b := newAsked(t)
	b.pack()
	r := b.opened()
	all := []map[string]question{b.readings(), b.writings()}
	watchGit(t, "case $sub in cat-file) read line;; *) cat >/dev/null;; esac; exit 0") // what it is told is read
	for _, calls := range all {
		for name, ask := range calls {
			t.Run(name, func(t *testing.T) {
				err := ask(t.Context(), r)
				var none *git.AnswerError
				if !errors.As(err, &none) && !strings.Contains(fmt.Sprint(err), "EOF") {
					t.Errorf("no answer gives %v", err)
				}
			})
		}
	}
}

// A git that a signal ended is asked once more where it only reads, and never where it writes.
func TestKilledGitIsAskedOnceMore(t *testing.T) {
	b := newAsked(t)
	b.pack()
	kinds := []map[string]question{b.readings(), b.writings()}
	first := filepath.Join(t.TempDir(), "first")
	log := watchGit(t, fmt.Sprintf(`if test "$sub" = "$(cat '%s')"; then : > '%s'; kill -9 $$; fi`, first, first))
	subs := map[string]string{
		"Open": "config", "Program": "version", "Resolve": "cat-file", "TreeOf": "cat-file", "Parents": "cat-file",
		"Head": "symbolic-ref", "Ref": "cat-file",
		"Tip": "cat-file", "MergeBase": "merge-base", "MergeBases": "rev-list", "Status": "status",
		"Worktrees": "worktree", "Changes": "diff-tree",
		"ChangesAll": "diff-tree", "Files": "ls-tree", "Entries": "ls-tree", "Blob": "cat-file",
		"HashFiles": "hash-object", "Lacking": "cat-file",
		"Connected": "rev-list", "Committer": "var", "HooksPath": "config", "Filters": "config",
		"IgnoredFolders": "check-ignore", "Message": "log", "Blobs": "cat-file",
		"CommitTree": "commit-tree", "CommitTreeLike": "commit-tree", "Commit": "commit-tree",
		"WriteBlob": "hash-object", "EmptyTree": "mktree", "LineChanges": "mktree",
		"Merge": "merge-tree", "Snapshot": "write-tree", "EditTree": "write-tree",
	}
	for kind, calls := range kinds {
		for name, ask := range calls {
			if name == "MergeAll" { // goes on with another git behind the pair that ended one
				continue
			}
			t.Run(name, func(t *testing.T) {
				r := b.opened()
				if err := os.WriteFile(first, []byte(subs[name]+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				err := ask(t.Context(), r)
				count := len(slices.DeleteFunc(log(), func(sub string) bool { return sub != subs[name] }))
				var exit *run.ExitError
				if kind == 0 && err != nil {
					t.Errorf("it is not asked again: %v", err)
				}
				if kind == 1 && (!errors.As(err, &exit) || exit.Signal == "" || count != 1) {
					t.Errorf("written %d times: %v", count, err)
				}
			})
		}
	}
}

// An answer that comes after the end of the process that was started is waited for: the comparison has all files.
func TestLateAnswerIsWhole(t *testing.T) {
	b := newAsked(t)
	r := b.open()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	watchGit(t, "case $sub in diff-tree) ( sleep 0.2; exec '"+real+"' \"$@\" ) & exit 0;; esac")
	files, err := r.Changes(t.Context(), "HEAD~1", "HEAD", git.RawEntries)
	if err != nil || len(files) != 1 {
		t.Errorf("%d files, %v; want the one that differs", len(files), err)
	}
}

// Trees that differ in an empty folder alone have the same files, and that is an answer.
func TestChangesOfAnEmptyFolder(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	tree, empty := b.Git("rev-parse", "HEAD^{tree}"), b.Git("hash-object", "-w", "-t", "tree", "/dev/null")
	list := b.Git("ls-tree", tree) + fmt.Sprintf("\n040000 tree %s\tg\n", empty)
	odd := b.Feed(list, "mktree")
	r := b.open()
	if files, err := r.Changes(t.Context(), tree, odd, git.RawEntries); err != nil || len(files) != 0 {
		t.Errorf("changes %+v, %v", files, err)
	}
	if all, err := r.ChangesAll(t.Context(),
		[]git.Span{{Base: tree, Head: odd}, {Base: empty, Head: tree}}); err != nil || len(all[0]) != 0 ||
		len(all[1]) != 1 {
		t.Errorf("changes %+v, %v", all, err)
	}
	for _, none := range []string{empty, b.Git("commit-tree", "-m", "m", empty)} {
		if files, err := r.Files(t.Context(), none); err != nil || len(files) != 0 {
			t.Errorf("files %q, %v", files, err)
		}
	}
}

// What git cannot tell of a commit does not make its files go.
func TestTakeBackFromADamagedCommit(t *testing.T) {
	b := newAsked(t)
	first := b.Git("rev-parse", "HEAD~1")
	tree := b.Git("rev-parse", first+"^{tree}")
	r := b.open()
	b.Remove(filepath.Join(".git", "objects", tree[:2], tree[2:]))
	if err := r.TakeBack(t.Context(), "main", first, []string{"f"}); err == nil {
		t.Error("nothing is said")
	}
	if got := b.Text("f"); got != "2\n" {
		t.Errorf("f is %q", got)
	}
	equal(t, "what is staged", strings.Fields(b.Git("diff", "--cached", "--name-only")), nil)
}

// A reference that is there and damaged is not taken for one that is gone.
func TestBrokenReference(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r := b.open()
	for name, content := range map[string]string{"empty": "", "garbage": "nonsense\n",
		"zero": strings.Repeat("\x00", 41)} {
		ref := "refs/heads/" + name
		if err := os.WriteFile(filepath.Join(b.Dir, ".git", ref), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, found, err := r.Ref(t.Context(), ref)
		wantErr(t, err, git.ErrBroken)
		if found {
			t.Errorf("%s: found", name)
		}
		_, err = r.Resolve(t.Context(), ref)
		wantErr(t, err, git.ErrBroken)
	}
	missing := strings.Repeat("1", 40)
	if err := os.WriteFile(filepath.Join(b.Dir, ".git/refs/heads/missing"), []byte(missing+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, found, err := r.Ref(t.Context(), "refs/heads/missing"); err != nil || !found || id != missing {
		t.Errorf("Ref = %q, %v, %v", id, found, err)
	}
	_, err := r.Resolve(t.Context(), "refs/heads/missing")
	wantErr(t, err, git.ErrBroken)
	for _, none := range []string{"refs/heads/none", "refs/heads"} {
		if _, found, err := r.Ref(t.Context(), none); err != nil || found {
			t.Errorf("Ref(%q): %v, %v", none, found, err)
		}
		_, err := r.Resolve(t.Context(), none)
		wantErr(t, err, git.ErrNoCommit)
	}
}
