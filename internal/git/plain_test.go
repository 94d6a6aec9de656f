package git_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
)

// Who made a commit is copied to another as it is, however odd.
func TestCommitLikeHasTheIdentityOfTheOther(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	tree := b.Git("rev-parse", "HEAD^{tree}")
	for _, who := range []string{
		"A U Thor <a@example.org> 1700000000 +0100", "Ünï Cödé <ü@example.org> 0 -0330",
		"A  B <a b@example.org> 99999999999 +1400", "O'Neil <o@example.org> 5 +0000",
	} {
		b.Feed("commit refs/heads/odd\nauthor "+who+"\ncommitter C <c@example.org> 7 +0200\ndata 4\nodd\n\n",
			"fast-import", "--quiet")
		parent := b.Git("rev-parse", "odd")
		b.Git("update-ref", "-d", "refs/heads/odd")
		made, err := b.open().CommitTreeLike(t.Context(), tree, "like\n", parent)
		if err != nil {
			t.Errorf("%s: %v", who, err)
			continue
		}
		const format = "--format=%an|%ae|%ad|%cn|%ce|%cd"
		if got, want := b.Git("log", "-1", "--date=raw", format, made),
			b.Git("log", "-1", "--date=raw", format, parent); got != want {
			t.Errorf("%s: %q, want %q", who, got, want)
		}
	}
}

// What HEAD names is found in its file where that says all, and asked for elsewhere.
func TestHeadIsThatOfGit(t *testing.T) {
	for name, prepare := range map[string]func(b *box){
		"branch":       func(b *box) {},
		"packed":       func(b *box) { b.Git("pack-refs", "--all") },
		"with a slash": func(b *box) { b.Git("checkout", "-q", "-b", "a/b") },
		"branch by link": func(b *box) {
			b.Git("symbolic-ref", "refs/heads/l", "refs/heads/main")
			b.head("refs/heads/l")
		},
		"detached":     func(b *box) { b.Git("checkout", "-q", "--detach") },
		"not a branch": func(b *box) { b.Git("update-ref", "refs/x/y", "HEAD"); b.head("refs/x/y") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			prepare(b)
			branch, commit, err := b.open().Head(t.Context())
			want, detached := b.Try("symbolic-ref", "--quiet", "HEAD")
			want = strings.TrimSpace(want)
			if detached != nil {
				want = ""
			}
			if errors.Is(err, git.ErrDetached) != (detached != nil) || commit != b.Git("rev-parse", "HEAD") ||
				strings.TrimPrefix(want, "refs/heads/") != branch {
				t.Errorf("%q at %q, %v, want %q", branch, commit, err, want)
			}
			if at, err := b.open().Resolve(t.Context(), "HEAD"); err != nil || at != commit {
				t.Errorf("HEAD resolves to %q, %v", at, err)
			}
		})
	}
	b := newBox(t, map[string]string{"f": "1\n"})
	r, log := b.open(), watchGit(t, "")
	if _, _, err := r.Head(t.Context()); err != nil {
		t.Error(err)
	}
	equal(t, "processes", log(), []string{"cat-file"})
}

func (b *box) head(ref string) { b.Write(map[string]string{".git/HEAD": "ref: " + ref + "\n"}) }

// The list of checkouts is git's whatever they are on.
func TestBranchesSeeEveryMove(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r := b.open()
	other := t.TempDir() + "/other"
	try := func(command string) {
		t.Helper()
		b.Git(strings.Fields(command)...)
		all, err := r.Branches(t.Context())
		want, wantErr := b.open().Worktrees(t.Context())
		for i := range want {
			want[i].Head = ""
		}
		if errors.Join(err, wantErr) != nil || !slices.Equal(all, want) {
			t.Errorf("%s: %+v, %v, want %+v", command, all, err, want)
		}
	}
	for _, command := range []string{"status", "worktree add -q -b other " + other,
		"-C " + other + " checkout -q -b more", "checkout -q --detach", "worktree lock " + other,
		"worktree remove -f -f " + other} {
		try(command)
	}
	log := watchGit(t, "")
	if _, err := r.Branches(t.Context()); err != nil {
		t.Error(err)
	}
	b.Git("version") // without any process there is no list
	equal(t, "processes where nothing changed", log(), []string{"version"})
	// The same words in HEAD stand for another branch, also where HEAD is a link whose content is a commit.
	for _, command := range []string{
		"symbolic-ref refs/heads/alias refs/heads/main", "symbolic-ref HEAD refs/heads/alias",
		"symbolic-ref refs/heads/alias refs/heads/more",
		"-c core.preferSymlinkRefs=true symbolic-ref HEAD refs/heads/main",
		"-c core.preferSymlinkRefs=true symbolic-ref HEAD refs/heads/more"} {
		try(command)
	}
}
