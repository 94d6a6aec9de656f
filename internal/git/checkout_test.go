package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
)

func TestIndexLock(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r, lock := b.open(), filepath.Join(b.Dir, ".git", "index.lock")
	var locked *git.LockedError
	if err := r.LockIndex("ours"); err != nil {
		t.Fatal(err)
	}
	b.Write(map[string]string{"f": "2\n"})
	if out, err := b.Try("add", "f"); err == nil {
		t.Errorf("git changed a locked index: %s", out)
	}
	if err := r.LockIndex("ours"); err != nil {
		t.Errorf("our own lock after a crash: %v", err)
	}
	if err := r.LockIndex("others"); !errors.As(err, &locked) || locked.Path != lock {
		t.Errorf("a lock with another mark: %v", err)
	}
	if err := r.UnlockIndex("others"); err != nil || b.Text(".git/index.lock") != "ours" {
		t.Errorf("unlocked by another: %v", err)
	}
	if err := r.UnlockIndex("ours"); err != nil {
		t.Error(err)
	}
	b.Git("add", "f")
	if err := r.UnlockIndex("ours"); err != nil {
		t.Errorf("unlocking twice: %v", err)
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil { // as git's own begins
		t.Fatal(err)
	}
	if err := r.LockIndex("ours"); !errors.As(err, &locked) {
		t.Errorf("git's lock was not respected: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(b.Dir, ".git", "index.lock?*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A crash right after the lock is taken leaves the note that was linked to it; the next one must
// not write into the same file.
func TestIndexLockAfterACrash(t *testing.T) {
	b := newBox(t, nil)
	lock := filepath.Join(b.Dir, ".git", "index.lock")
	if err := os.WriteFile(lock, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(lock, lock+".delegate"); err != nil {
		t.Fatal(err)
	}
	var locked *git.LockedError
	if err := b.open().LockIndex("second"); !errors.As(err, &locked) {
		t.Errorf("taken over from another landing: %v", err)
	}
	if got := b.Text(".git/index.lock"); got != "first" {
		t.Errorf("the lock's mark became %q", got)
	}
}

// landing is a checkout with a person's edits and two commits that an update goes between.
func landing(t *testing.T) (b *box, old, next string) {
	b = newBox(t, map[string]string{"landed": "1\n", "staged": "1\n", "edited": "1\n", "away": "1\n",
		".gitignore": "*.ignored\n"})
	old = b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"landed": "2\n", "sub/new": "n\n"})
	b.Remove("away")
	next = b.Commit("next")
	b.Git("reset", "-q", "--hard", old)
	b.Write(map[string]string{"staged": "2\n", "edited": "2\n", "untracked": "u\n", "x.ignored": "i\n"})
	b.Git("add", "staged")
	return b, old, next
}

func TestUpdateCheckoutKeepsEdits(t *testing.T) {
	b, old, next := landing(t)
	r, before := b.open(), b.Git("status", "--porcelain")
	if err := r.UpdateCheckout(t.Context(), r.IndexPath(), old, next, git.DryRun); err != nil {
		t.Fatal(err)
	}
	if b.Git("status", "--porcelain") != before || b.Text("landed") != "1\n" {
		t.Error("the rehearsal changed something")
	}
	if err := r.UpdateCheckout(t.Context(), r.IndexPath(), old, next, git.ForReal); err != nil {
		t.Fatal(err)
	}
	b.Git("update-ref", "HEAD", next)
	if got := b.Git("status", "--porcelain"); got != before {
		t.Errorf("status after the landing:\n%s\nbefore:\n%s", got, before)
	}
	for name, want := range map[string]string{"landed": "2\n", "sub/new": "n\n", "staged": "2\n", "edited": "2\n",
		"untracked": "u\n", "x.ignored": "i\n"} {
		if got := b.Text(name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

func TestUpdateCheckoutRefusesToOverwrite(t *testing.T) {
	for name, spoil := range map[string]func(*box){
		"edited":    func(b *box) { b.Write(map[string]string{"landed": "mine\n"}) },
		"staged":    func(b *box) { b.Write(map[string]string{"landed": "mine\n"}); b.Git("add", "landed") },
		"untracked": func(b *box) { b.Write(map[string]string{"sub/new": "mine\n"}) },
		"deleted":   func(b *box) { b.Write(map[string]string{"away": "mine\n"}) },
	} {
		b, old, next := landing(t)
		spoil(b)
		r, before := b.open(), b.Git("status", "--porcelain")
		if err := r.UpdateCheckout(t.Context(), r.IndexPath(), old, next, git.DryRun); err == nil {
			t.Errorf("%s: the rehearsal found nothing", name)
		}
		if err := r.UpdateCheckout(t.Context(), r.IndexPath(), old, next, git.ForReal); err == nil {
			t.Errorf("%s: the update went through", name)
		}
		if got := b.Git("status", "--porcelain"); got != before {
			t.Errorf("%s: status became\n%s\nfrom\n%s", name, got, before)
		}
	}
}

func TestTakeBack(t *testing.T) {
	b := newBox(t, map[string]string{"docs/plan": "a\nb\nc\nd\n", "mine": "1\n", "[x]": "1\n", "x": "1\n",
		"-dash": "1\n", "file": "f\n"})
	base := b.Git("rev-parse", "HEAD")
	b.Git("mv", "docs/plan", "docs/moved")
	b.Write(map[string]string{"mine": "2\n", "[x]": "2\n", "x": "2\n", "-dash": "2\n"})
	b.Remove("file")
	b.Write(map[string]string{"file/inside": "i\n"})
	b.Commit("work")
	b.Write(map[string]string{"mine": "3\n", "left": "l\n", "extra/deep": "e\n"})
	b.Git("add", "mine")
	paths := []string{"docs/plan", "docs/moved", "[x]", "-dash", "extra/deep", "file/inside", "file"}
	if err := b.open().TakeBack(t.Context(), "main", base, paths); err != nil {
		t.Fatal(err)
	}
	if got := b.Git("diff-tree", "-r", "--no-commit-id", "--name-only", base, "HEAD"); got != "mine\nx" {
		t.Errorf("the branch still differs from the base in:\n%s", got)
	}
	if got := b.Git("status", "--porcelain"); got != "M  mine\n?? left" {
		t.Errorf("status:\n%s", got)
	}
	if b.Text("docs/plan") != "a\nb\nc\nd\n" || b.Text("mine") != "3\n" || b.Text("file") != "f\n" {
		t.Error("files are not as they should be")
	}
}

// A folder on the way that became a link must not lead the removal outside.
func TestTakeBackStaysInside(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	base := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"way/precious": "agent\n"})
	b.Commit("work")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "precious"), []byte("person"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Remove("way")
	b.Link(outside, "way")
	err := b.open().TakeBack(t.Context(), "main", base, []string{"way/precious"})
	data, readErr := os.ReadFile(filepath.Join(outside, "precious"))
	if readErr != nil || string(data) != "person" {
		t.Errorf("a file outside of the checkout was touched: %q %v (%v)", data, readErr, err)
	}
}

func TestSwitchDetached(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", ".gitignore": "cache\n"})
	one := b.Git("rev-parse", "HEAD")
	b.Write(map[string]string{"f": "2\n"})
	two := b.Commit("second")
	path := filepath.Join(t.TempDir(), "scratch")
	r := b.open()
	if err := r.AddDetachedWorktree(t.Context(), path, one); err != nil {
		t.Fatal(err)
	}
	scratch, err := r.OpenWorktree(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &box{gittest.In(t, path)}
	w.Write(map[string]string{"f": "spoiled\n", "left": "l\n", "cache": "c\n", "nested/.git/HEAD": "x"})
	w.Git("init", "-q", "inner")
	if err := os.WriteFile(scratch.IndexPath()+".lock", nil, 0o600); err != nil { // a git that was killed here
		t.Fatal(err)
	}
	if err := scratch.SwitchDetached(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	if left := w.Git("status", "--porcelain", "--ignored"); w.Text("f") != "2\n" || left != "" {
		t.Errorf("the scratch checkout is not clean:\n%s", left)
	}
	if b.Git("rev-parse", "HEAD") != two || b.Git("symbolic-ref", "HEAD") != "refs/heads/main" {
		t.Error("the person's checkout moved")
	}
}

func TestInProgress(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	ours, _ := b.fork(func() {
		b.Write(map[string]string{"f": "ours\n"})
	}, func() { b.Write(map[string]string{"f": "theirs\n"}) })
	r := b.open()
	if r.InProgress() != "" || r.Rebasing() != "" {
		t.Errorf("a quiet checkout: %q %q", r.InProgress(), r.Rebasing())
	}
	if out, err := b.Try("merge", ours); err == nil || r.InProgress() != "merge" {
		t.Errorf("in a merge: %q\n%s", r.InProgress(), out)
	}
	b.Git("merge", "--abort")
	if out, err := b.Try("rebase", ours); err == nil || r.InProgress() != "rebase" ||
		r.Rebasing() != "refs/heads/theirs" {
		t.Errorf("in a rebase: %q %q\n%s", r.InProgress(), r.Rebasing(), out)
	}
	// An agent that no namespace holds in writes the git folder of its own worktree.
	if err := os.Truncate(filepath.Join(r.GitDir, "rebase-merge", "head-name"), 1<<42); err != nil {
		t.Fatal(err)
	}
	if name := r.Rebasing(); name != "" {
		t.Errorf("a name of terabytes: %.20q", name)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(r.GitDir, "locked"), nil, 0o600),
		os.Truncate(filepath.Join(r.GitDir, "locked"), 1<<42)); err != nil {
		t.Fatal(err)
	}
	if r.Unfinished() {
		t.Error("a note of terabytes")
	}
}
