package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
)

// TestStoredCommitsAreThoseOfGit holds commits that are made without a process against those that git makes of the
// same: the same name is the same content, byte by byte.
func TestStoredCommitsAreThoseOfGit(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		env     [2]string
		options []string
		twice   bool // the same parent
		byGit   bool
	}{
		"usual":              {message: "subject\n\nbody\n"},
		"no end of line":     {message: "subject"},
		"no message":         {message: ""},
		"words of others":    {message: "Grüße 🎉\n\n# no comment\n"},
		"a name of others":   {message: "m\n", env: [2]string{"GIT_AUTHOR_NAME", "Jörg Öl"}},
		"another zone":       {message: "m\n", env: [2]string{"GIT_COMMITTER_DATE", "@1234567890 -0330"}},
		"a guess":            {message: "m\n", env: [2]string{"GIT_AUTHOR_DATE", "1000000000 +0200"}, byGit: true},
		"a name to clean":    {message: "m\n", env: [2]string{"GIT_AUTHOR_NAME", " a <b>."}, byGit: true},
		"no UTF-8":           {message: "m \xff\n", byGit: true},
		"no character":       {message: "m \uffff\n", byGit: true},
		"another encoding":   {message: "m\n", options: []string{"i18n.commitEncoding=latin1"}, byGit: true},
		"shared with others": {message: "m\n", options: []string{"core.sharedRepository=group"}, byGit: true},
		"twice a parent":     {message: "m\n", twice: true, byGit: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n", "d/g": "2\n"})
			for _, option := range c.options {
				key, value, _ := strings.Cut(option, "=")
				b.Git("config", key, value)
			}
			if c.env[0] != "" {
				t.Setenv(c.env[0], c.env[1])
			}
			first, tree := b.Git("rev-parse", "HEAD"), b.Git("rev-parse", "HEAD:d")
			parents := []string{first, b.Commit("second")}
			if c.twice {
				parents[1] = first
			}
			ran := watchGit(t, "")
			got, err := b.open().CommitTree(t.Context(), tree, c.message, parents...)
			if err != nil {
				t.Fatal(err)
			}
			if started := slices.Contains(ran(), "commit-tree"); started != c.byGit {
				t.Errorf("git made it: %v, want %v", started, c.byGit)
			}
			stored := b.Git("cat-file", "commit", got)
			b.Write(map[string]string{"message": c.message})
			want := b.Git("commit-tree", tree, "-F", filepath.Join(b.Dir, "message"), "-p", parents[0], "-p",
				parents[1])
			if lines := strings.Split(want, "\n"); c.byGit {
				want = lines[len(lines)-1] // behind its warnings
			}
			if got != want {
				t.Errorf("made %s\n%s\ngit makes %s\n%s", got, stored, want, b.Git("cat-file", "commit", want))
			}
			b.Git("fsck", "--strict", "--no-dangling")
		})
	}
}

// A commit whose file is there and damaged, as after a power cut, is stored again; nothing else lies beside it.
func TestDamagedCommitIsStoredAgain(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, tree := b.open(), b.Git("rev-parse", "HEAD^{tree}")
	commit := func(r *git.Repo) string {
		t.Helper()
		id, err := r.CommitTree(t.Context(), tree, "m\n")
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := commit(r)
	if mode := b.modeOf(b.object(id)); mode&0o222 != 0 {
		t.Errorf("the object can be written: %v", mode)
	}
	b.damage(id, func([]byte) []byte { return nil })
	if again := commit(r); again != id {
		t.Errorf("made %s, then %s", id, again)
	}
	if text := b.Git("cat-file", "-t", id); text != "commit" {
		t.Errorf("it is a %q", text)
	}
	if left, err := filepath.Glob(filepath.Join(b.Dir, ".git/objects/*/tmp_obj_*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	before := b.objects()
	held := b.quarantine(r)
	if inside := commit(held); inside == id {
		t.Error("a look has the person's name")
	}
	if slices.Compare(before, b.objects()) != 0 {
		t.Error("a look has stored something in the repository")
	}
}

func (b *box) modeOf(path string) os.FileMode {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Mode()
}

// TestLargeObjectsAreStoredInPieces has git read a commit of more than one block.
func TestLargeObjectsAreStoredInPieces(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	for _, size := range []int{1<<16 - 1, 1 << 16, 300_000} {
		message := strings.Repeat("m", size-1) + "\n"
		id, err := b.open().CommitTree(t.Context(), b.Git("rev-parse", "HEAD^{tree}"), message)
		if err != nil {
			t.Fatal(err)
		}
		if _, text, _ := strings.Cut(b.Git("cat-file", "commit", id), "\n\n"); text+"\n" != message {
			t.Errorf("of %d bytes git reads %d", size, len(text)+1)
		}
		b.Git("fsck", "--strict", "--no-dangling")
	}
}
