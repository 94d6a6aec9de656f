package takeover_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/takeover"
)

func TestCreate(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	c, w := b.agent()
	if got := w.git("symbolic-ref", "HEAD"); got != "refs/heads/"+branch || c.Branch != branch {
		t.Errorf("on %q", got)
	}
	if w.git("status", "--porcelain") != "" || w.git("rev-parse", "HEAD") != b.git("rev-parse", "HEAD") {
		t.Error("the checkout is not the commit")
	}
	b.git("pack-refs", "--all", "--prune")
	folder := filepath.Join(b.dir, ".git", "refs", "heads", "delegate", "DEL-1", "AGT-001")
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("packing took the branch's folder away: %v", err)
	}
	if got := b.git("for-each-ref", "--format=%(refname)", "refs/heads/delegate"); got != "refs/heads/"+branch {
		t.Errorf("branches %q", got)
	}
	b.git("fsck", "--strict")
}

func TestCreateTakesUpAnAttemptThatWasCutShort(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "g": "1\n"})
	commit, repo := b.git("rev-parse", "HEAD"), b.open()
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
		w := &box{TB: t, dir: c.Path}
		if w.git("symbolic-ref", "--short", "HEAD") != r.Branch || w.git("status", "--porcelain") != "" {
			t.Errorf("%s: on %q with status %q", name, w.git("symbolic-ref", "HEAD"), w.git("status", "--porcelain"))
		}
	}
	only := request("only-branch")
	b.git("branch", only.Branch, commit)
	check("the branch alone", only)
	check("all of it", only)

	empty := request("empty-folder")
	if err := os.MkdirAll(empty.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	check("an empty folder", empty)

	// git was killed while it filled the folder: its note is there, some files are not.
	half := request("half")
	b.git("worktree", "add", "-q", "--no-track", "-b", half.Branch, half.Path, commit)
	w := &box{TB: t, dir: half.Path}
	admin := w.git("rev-parse", "--absolute-git-dir")
	for path, text := range map[string]string{"locked": "initializing", "index.lock": ""} {
		if err := os.WriteFile(filepath.Join(admin, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.remove("g")
	check("half a checkout", half)

	// git was killed before the folder was there, or somebody removed it: only its entry is left.
	for _, locked := range []bool{false, true} {
		entry := request(fmt.Sprintf("entry-%t", locked))
		b.git("worktree", "add", "-q", "--no-track", "-b", entry.Branch, entry.Path, commit)
		w = &box{TB: t, dir: entry.Path}
		if locked {
			if err := os.WriteFile(filepath.Join(w.git("rev-parse", "--absolute-git-dir"), "locked"),
				[]byte("initializing"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(entry.Path); err != nil {
			t.Fatal(err)
		}
		check(entry.Branch, entry)
	}

	// A finished one with work in it is taken up as it is.
	worked := request("worked")
	b.git("worktree", "add", "-q", "--no-track", "-b", worked.Branch, worked.Path, commit)
	w = &box{TB: t, dir: worked.Path}
	w.write(map[string]string{"mine": "m"})
	if _, err := takeover.Create(t.Context(), repo, worked); err != nil {
		t.Fatal(err)
	}
	if got := w.git("status", "--porcelain"); got != "?? mine" {
		t.Errorf("status of what was taken up: %q", got)
	}
}

func TestCreateRefusesWhatExists(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	one, repo := b.git("rev-parse", "HEAD"), b.open()
	two := b.commit("second")
	b.git("branch", "taken", two)
	b.git("branch", "here", one)
	full, other, path := t.TempDir(), filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "w")
	if err := os.WriteFile(filepath.Join(full, "precious"), []byte("p"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.git("worktree", "add", "-q", "-b", "elsewhere", other, one)
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
		refs := b.git("for-each-ref")
		_, err := takeover.Create(t.Context(), repo, c.r)
		var exists *takeover.ExistsError
		if !errors.As(err, &exists) || *exists != c.want {
			t.Errorf("%s: %v, want %v", name, err, &c.want)
		}
		if b.git("for-each-ref") != refs {
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
	w.remove(".")
	for _, path := range []string{c.Path, t.TempDir(), filepath.Join(t.TempDir(), "never")} {
		if _, err := takeover.Open(b.open(), path, branch); !errors.Is(err, takeover.ErrGone) {
			t.Errorf("Open(%q): %v", path, err)
		}
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
	early := b.git("rev-parse", "HEAD")
	base, repo := b.commit("base"), b.open()
	_, w := b.agent()
	w.write(map[string]string{"mine": "1"})
	plain := w.commit("mine")
	b.write(map[string]string{"theirs": "1"})
	target := b.commit("target moved")
	check := func(name, head, want string) {
		t.Helper()
		if got, err := takeover.ForkPoint(t.Context(), repo, base, target, head); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	check("nothing done", base, base)
	check("plain", plain, base)
	w.git("merge", "-q", "-m", "m", target)
	check("target merged", w.git("rev-parse", "HEAD"), target)
	w.git("reset", "-q", "--hard", plain)
	w.git("rebase", "-q", target)
	check("rebased", w.git("rev-parse", "HEAD"), target)
	w.git("reset", "-q", "--hard", plain)
	w.git("rebase", "-q", "--onto", early, base)
	check("rebased to an earlier commit", w.git("rev-parse", "HEAD"), base)
	w.git("checkout", "-q", "--orphan", "alone")
	if _, err := takeover.ForkPoint(t.Context(), repo, base, target, w.commit("alone")); !errors.Is(err,
		git.ErrNoMergeBase) {
		t.Errorf("without common history: %v", err)
	}
}
