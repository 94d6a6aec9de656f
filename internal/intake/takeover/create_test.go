package takeover_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
)

func TestCreate(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	c, w := b.agent()
	if got := w.Git("symbolic-ref", "HEAD"); got != "refs/heads/"+branch || c.Branch != branch {
		t.Errorf("on %q", got)
	}
	if w.Git("status", "--porcelain") != "" || w.Git("rev-parse", "HEAD") != b.Git("rev-parse", "HEAD") {
		t.Error("the checkout is not the commit")
	}
	b.Git("pack-refs", "--all", "--prune")
	folder := filepath.Join(b.Dir, ".git", "refs", "heads", "delegate", "DEL-1", "AGT-001")
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("packing took the branch's folder away: %v", err)
	}
	if got := b.Git("for-each-ref", "--format=%(refname)", "refs/heads/delegate"); got != "refs/heads/"+branch {
		t.Errorf("branches %q", got)
	}
	b.Git("fsck", "--strict")
}

func TestCreateTakesUpAnAttemptThatWasCutShort(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "g": "1\n"})
	commit, repo := b.Git("rev-parse", "HEAD"), b.open()
	request := func(name string) takeover.Request {
		return takeover.Request{Path: filepath.Join(t.TempDir(), "w"), Branch: "delegate/" + name, Commit: commit}
	}
	check := func(name string, r takeover.Request) {
		t.Helper()
		c, err := takeover.Create(t.Context(), repo, r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		w := &box{gittest.In(t, c.Path)}
		if w.Git("symbolic-ref", "--short", "HEAD") != r.Branch || w.Git("status", "--porcelain") != "" {
			t.Errorf("%s: on %q with status %q", name, w.Git("symbolic-ref", "HEAD"), w.Git("status", "--porcelain"))
		}
	}
	only := request("only-branch")
	b.Git("branch", only.Branch, commit)
	check("the branch alone", only)
	check("all of it", only)

	empty := request("empty-folder")
	if err := os.MkdirAll(empty.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	check("an empty folder", empty)

	// git was killed while it filled the folder: its note is there, some files are not.
	half := request("half")
	b.Git("worktree", "add", "-q", "--no-track", "-b", half.Branch, half.Path, commit)
	w := &box{gittest.In(t, half.Path)}
	admin := w.Git("rev-parse", "--absolute-git-dir")
	for path, text := range map[string]string{"locked": "initializing", "index.lock": ""} {
		if err := os.WriteFile(filepath.Join(admin, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.Remove("g")
	check("half a checkout", half)

	// git was killed before the folder was there, or somebody removed it: only its entry is left.
	for _, locked := range []bool{false, true} {
		entry := request(fmt.Sprintf("entry-%t", locked))
		b.Git("worktree", "add", "-q", "--no-track", "-b", entry.Branch, entry.Path, commit)
		w = &box{gittest.In(t, entry.Path)}
		if locked {
			if err := os.WriteFile(filepath.Join(w.Git("rev-parse", "--absolute-git-dir"), "locked"),
				[]byte("initializing"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(entry.Path); err != nil {
			t.Fatal(err)
		}
		check(entry.Branch, entry)
	}

	// This program was ended while it wrote what ties the two together: nothing of the checkout is there yet.
	for i, written := range [][]string{{"locked"}, {"locked", "commondir", "HEAD"},
		{"locked", "commondir", "HEAD", "gitdir"}} {
		begun := request(fmt.Sprintf("begun-%d", i))
		begun.Path = filepath.Join(t.TempDir(), fmt.Sprintf("begun-%d", i))
		b.Git("branch", begun.Branch, commit)
		admin := filepath.Join(b.Dir, ".git", "worktrees", filepath.Base(begun.Path))
		if err := errors.Join(os.MkdirAll(begun.Path, 0o755), os.MkdirAll(admin, 0o755)); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{"locked": "initializing", "commondir": "../..",
			"HEAD": "ref: refs/heads/" + begun.Branch, "gitdir": filepath.Join(begun.Path, ".git")}
		for _, name := range written {
			if err := os.WriteFile(filepath.Join(admin, name), []byte(texts[name]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		check(fmt.Sprintf("begun with %q", written), begun)
	}

	// A finished one with work in it is taken up as it is.
	worked := request("worked")
	b.Git("worktree", "add", "-q", "--no-track", "-b", worked.Branch, worked.Path, commit)
	w = &box{gittest.In(t, worked.Path)}
	w.Write(map[string]string{"mine": "m"})
	if _, err := takeover.Create(t.Context(), repo, worked); err != nil {
		t.Fatal(err)
	}
	if got := w.Git("status", "--porcelain"); got != "?? mine" {
		t.Errorf("status of what was taken up: %q", got)
	}
}

func TestCreateRefusesWhatExists(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	one, repo := b.Git("rev-parse", "HEAD"), b.open()
	two := b.Commit("second")
	b.Git("branch", "taken", two)
	b.Git("branch", "here", one)
	full, other, path := t.TempDir(), filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "w")
	if err := os.WriteFile(filepath.Join(full, "precious"), []byte("p"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Git("worktree", "add", "-q", "-b", "elsewhere", other, one)
	for name, c := range map[string]struct {
		r    takeover.Request
		want takeover.ExistsError
	}{
		"branch at another commit": {takeover.Request{Path: path, Branch: "taken", Commit: one},
			takeover.ExistsError{What: "branch", Name: "taken"}},
		"folder with something in it": {takeover.Request{Path: full, Branch: "new", Commit: one},
			takeover.ExistsError{What: "folder", Name: full}},
		"folder is a file": {takeover.Request{Path: filepath.Join(full, "precious"), Branch: "new",
			Commit: one}, takeover.ExistsError{What: "folder", Name: filepath.Join(full, "precious")}},
		"folder of another branch": {takeover.Request{Path: other, Branch: "here", Commit: one},
			takeover.ExistsError{What: "folder", Name: other}},
		"folder of another branch, no own": {takeover.Request{Path: other, Branch: "new", Commit: one},
			takeover.ExistsError{What: "folder", Name: other}},
	} {
		refs := b.Git("for-each-ref")
		_, err := takeover.Create(t.Context(), repo, c.r)
		var exists *takeover.ExistsError
		if !errors.As(err, &exists) || *exists != c.want {
			t.Errorf("%s: %v, want %v", name, err, &c.want)
		}
		if b.Git("for-each-ref") != refs {
			t.Errorf("%s: references changed", name)
		}
	}
	if _, err := takeover.Create(t.Context(), repo,
		takeover.Request{Path: path, Branch: "elsewhere", Commit: one}); err == nil {
		t.Error("a branch that is checked out elsewhere was checked out twice")
	}
}

func TestOpenOfWhatIsGone(t *testing.T) {
	b := newBox(t, nil)
	c, w := b.agent()
	w.Remove(".")
	for _, path := range []string{c.Path, t.TempDir(), filepath.Join(t.TempDir(), "never")} {
		if _, err := takeover.Open(b.open(), path, branch); !errors.Is(err, takeover.ErrGone) {
			t.Errorf("Open(%q): %v", path, err)
		}
	}
}

// A link that an agent without a fence put in the place of its worktree leads to files of others, which are none of its
// work and stay as they are.
func TestOpenOfALink(t *testing.T) {
	b := newBox(t, nil)
	c, _ := b.agent()
	if err := errors.Join(os.Rename(c.Path, c.Path+".moved"), os.Symlink(b.Dir, c.Path)); err != nil {
		t.Fatal(err)
	}
	if _, err := takeover.Open(b.open(), c.Path, branch); !errors.Is(err, takeover.ErrGone) {
		t.Errorf("opened: %v", err)
	}
}

// A worktree that cannot be looked for is not one that is gone: nobody knows.
func TestOpenOfWhatCannotBeRead(t *testing.T) {
	b := newBox(t, nil)
	c, _ := b.agent()
	repo := b.open()
	entries := filepath.Join(repo.CommonDir, "worktrees")
	if err := os.Rename(entries, entries+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(entries, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := takeover.Open(repo, c.Path, branch); err == nil || errors.Is(err, takeover.ErrGone) {
		t.Errorf("Open: %v", err)
	}
	if _, err := takeover.Create(t.Context(), repo,
		takeover.Request{Path: filepath.Join(t.TempDir(), "new"), Branch: "new", Commit: "HEAD"}); err == nil {
		t.Error("a worktree was made")
	}
}

func TestForkPoint(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	early := b.Git("rev-parse", "HEAD")
	base, repo := b.Commit("base"), b.open()
	_, w := b.agent()
	w.Write(map[string]string{"mine": "1"})
	plain := w.Commit("mine")
	b.Write(map[string]string{"theirs": "1"})
	target := b.Commit("target moved")
	check := func(name, head, want string) {
		t.Helper()
		_, outside := b.Try("merge-base", "--is-ancestor", base, head)
		got, holds, err := takeover.ForkPoint(t.Context(), repo, base, target, head)
		if err != nil || got != want || holds != (outside == nil) {
			t.Errorf("%s: %q, %t, %v; want %q, base %v", name, got, holds, err, want, outside)
		}
	}
	check("nothing done", base, base)
	check("plain", plain, base)
	w.Git("merge", "-q", "-m", "m", target)
	check("target merged", w.Git("rev-parse", "HEAD"), target)
	w.Git("reset", "-q", "--hard", plain)
	w.Git("rebase", "-q", target)
	check("rebased", w.Git("rev-parse", "HEAD"), target)
	w.Git("reset", "-q", "--hard", plain)
	w.Git("rebase", "-q", "--onto", early, base)
	check("rebased to an earlier commit", w.Git("rev-parse", "HEAD"), base)
	w.Git("checkout", "-q", "--orphan", "alone")
	if _, holds, err := takeover.ForkPoint(t.Context(), repo, base, target, w.Commit("alone")); holds || !errors.Is(err,
		git.ErrNoMergeBase) {
		t.Errorf("without common history: %t, %v", holds, err)
	}
}
