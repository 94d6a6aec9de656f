package takeover_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/intake/takeover"
)

// moved makes the commits of a target that goes on beside an agent.
func (b *box) moved() string {
	b.Helper()
	b.Write(map[string]string{"other": "target's\n", "added/deep": "new\n", "run": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(b.Dir, "run"), 0o755); err != nil {
		b.Fatal(err)
	}
	b.Link("other", "link")
	b.Remove("gone")
	return b.Commit("the target's")
}

func otherFiles() map[string]string {
	return map[string]string{"f": "1\n", "other": "o\n", "gone": "g\n", "far": "away\n", ".gitignore": "ignored*\n"}
}

// merge is a commit of the head and the tip.
func (k *taker) merge(head, tip string) string {
	k.w.Helper()
	merged, err := k.c.Repo.Merge(k.w.Context(), head, tip)
	if err != nil || !merged.Clean {
		k.w.Fatalf("merge: %+v, %v", merged, err)
	}
	commit, err := k.c.Repo.CommitTree(k.w.Context(), merged.Tree, "merged\n", head, tip)
	if err != nil {
		k.w.Fatal(err)
	}
	k.w.Git("update-ref", "refs/delegate/DEL-1/AGT-001/adapted-2", commit)
	return commit
}

func (k *taker) advance(from, to string, step func(string)) error {
	return k.c.Advance(k.w.Context(), k.request, takeover.Move{From: from, To: to, Unfinished: "owed"}, step)
}

func quietly(string) {}

// arrivedAt holds that the checkout is wholly at the commit.
func (k *taker) arrivedAt(to string) {
	k.w.Helper()
	if got := k.w.Git("status", "--porcelain"); got != "" {
		k.w.Errorf("status %q", got)
	}
	if got := k.w.Git("rev-parse", branch, "HEAD"); got != to+"\n"+to {
		k.w.Errorf("branch and HEAD at %q, want %q", got, to)
	}
	if got := k.w.Git("symbolic-ref", "HEAD"); got != "refs/heads/"+branch {
		k.w.Errorf("HEAD is %q", got)
	}
}

func TestAdvance(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			b := newBox(t, otherFiles(), "--object-format="+format)
			i := b.fenced()
			before := i.Commit(map[string]string{"f": "2\n"})
			i.Write(map[string]string{"f": "3\n", "untracked": "u\n", "ignored": "mine\n", "staged": "s\n"})
			i.Git("add", "staged")
			tip := b.moved()
			head := i.k.take()
			to := i.k.merge(head, tip)
			if err := i.k.advance(head, to, quietly); err != nil {
				t.Fatal(err)
			}
			i.k.arrivedAt(to)
			if got := i.w.Text("f") + i.w.Text("untracked") + i.w.Text("staged") + i.w.Text("ignored") +
				i.w.Text("other") + i.w.Text("added/deep"); got != "3\nu\ns\nmine\ntarget's\nnew\n" {
				t.Errorf("files %q", got)
			}
			snap, err := i.k.c.Snapshot(t.Context(), i.k.request)
			if err != nil || snap.Head != to || snap.Incomplete != "owed" {
				t.Errorf("snapshot %+v, %v", snap, err)
			}
			if err := i.k.request.EndMove(); err != nil {
				t.Fatal(err)
			}
			if got := i.k.take(); got != to {
				t.Errorf("head %q, want %q", got, to)
			}
			i.enter(takeover.Whole)
			if got := i.Git("rev-parse", "HEAD") + i.Git("status", "--porcelain"); got != to {
				t.Errorf("the agent's git begins with %q, want %q and nothing changed", got, to)
			}
			last := i.Commit(map[string]string{"f": "4\n"})
			if got := i.k.take(); got != last {
				t.Errorf("head after its next turn %q, want %q", got, last)
			}
			if got := i.Git("rev-list", "--count", before+".."+last, "--not", tip); got == "0" {
				t.Error("its history was lost")
			}
			fork, _, err := takeover.ForkPoint(t.Context(), b.open(), i.b.Git("rev-parse", tip+"~1"), tip, last)
			if err != nil || fork != tip {
				t.Errorf("fork point %q, %v, want the target's tip", fork, err)
			}
			i.sound()
		})
	}
}

// cut carries a move out as far as the step.
func (k *taker) cut(from, to, at string) {
	k.w.Helper()
	defer func() {
		if got := recover(); got != at {
			k.w.Fatalf("ended at %v", got)
		}
	}()
	err := k.advance(from, to, func(step string) {
		if step == at {
			panic(step)
		}
	})
	k.w.Fatalf("not cut off at %q: %v", at, err)
}

// TestAdvanceCutOff holds that the next look finishes a move wherever it was cut off, and loses
// nothing that came in between.
func TestAdvanceCutOff(t *testing.T) {
	for _, step := range []string{"move: noted", "move of files: restored", "move of files: files", "move of files: " +
		"index",
		"move: branch", "move: head", "move: index"} {
		t.Run(step, func(t *testing.T) {
			b := newBox(t, otherFiles())
			k, w := b.taker()
			w.Write(map[string]string{"f": "2\n", "ignored": "mine\n"})
			tip := b.moved()
			head := k.take()
			to := k.merge(head, tip)
			k.cut(head, to, step)
			snap, err := k.c.Snapshot(t.Context(), k.request)
			if err != nil || snap.Head != to || snap.Incomplete != "owed" {
				t.Errorf("snapshot %+v, %v; want %q", snap, err, to)
			}
			k.arrivedAt(to)
			if got := w.Text("ignored"); got != "mine\n" {
				t.Errorf("ignored file %q", got)
			}
			if got := b.Git("for-each-ref", headRef+"-cut-*"); got != "" {
				t.Errorf("kept %q though nothing was torn", got)
			}
		})
	}
}

func TestAdvanceTorn(t *testing.T) {
	b := newBox(t, otherFiles())
	k, w := b.taker()
	w.Write(map[string]string{"f": "2\n"})
	tip := b.moved()
	head := k.take()
	to := k.merge(head, tip)
	k.cut(head, to, "move: noted")
	// git was killed in the middle of a file
	w.Write(map[string]string{"other": "targ", "added/deep": "new\n", "far": "a person's\n"})
	left := k.take0()
	if got := w.Git("diff", "--name-only", to, left); got != "far" {
		t.Errorf("what differs from the merge: %q, want the person's edit", got)
	}
	if got := w.Git("rev-parse", branch); got != to {
		t.Errorf("branch at %q, want %q", got, to)
	}
	if got := w.Text("far") + w.Text("other") + w.Text("f"); got != "a person's\ntarget's\n2\n" {
		t.Errorf("files %q", got)
	}
	kept := b.Git("for-each-ref", "--format=%(refname)", headRef+"-cut-*")
	if got := b.Git("show", kept+":other"); got != "targ" {
		t.Errorf("%q has %q, want what was found", kept, got)
	}
}

// take0 takes a head of work that owes something.
func (k *taker) take0() string {
	k.w.Helper()
	snap, err := k.c.Snapshot(k.w.Context(), k.request)
	if err != nil || snap.Incomplete != "owed" {
		k.w.Fatalf("snapshot %+v, %v", snap, err)
	}
	return snap.Head
}

// A commit that somebody makes in the worktree before a move is finished ends the move.
func TestAdvanceOvertaken(t *testing.T) {
	b := newBox(t, otherFiles())
	k, w := b.taker()
	w.Write(map[string]string{"f": "2\n"})
	tip := b.moved()
	head := k.take()
	k.cut(head, k.merge(head, tip), "move: noted")
	own := w.Commit("a person's")
	if got := k.take(); got != own {
		t.Errorf("head %q, want the person's commit %q", got, own)
	}
	if _, found, err := k.request.Moved(); found || err != nil {
		t.Errorf("the move is still there: %v", err)
	}
}

func TestAdvanceRefused(t *testing.T) {
	for name, spoil := range map[string]func(*taker){
		"folder":  func(k *taker) { k.w.Write(map[string]string{"added/deep/ignored": "mine\n"}) },
		"file":    func(k *taker) { k.w.Write(map[string]string{"ignored": "mine\n"}) },
		"parent":  func(k *taker) { k.w.Write(map[string]string{"ignored-2": "mine\n"}) },
		"changed": func(k *taker) { k.w.Write(map[string]string{"f": "later\n"}) },
		"locked":  lockIndex,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, otherFiles())
			k, w := b.taker()
			b.Write(map[string]string{"ignored": "tracked\n", "ignored-2/in": "tracked\n"})
			b.Git("add", "--force", "ignored", "ignored-2")
			tip := b.moved()
			w.Write(map[string]string{"f": "2\n"})
			head := k.take()
			to := k.merge(head, tip)
			spoil(k)
			files := w.Git("ls-files", "--others") + w.Git("diff")
			err := k.advance(head, to, quietly)
			var behind *takeover.BehindError
			var blocked *git.BlockedError
			var locked *git.LockedError
			switch {
			case err == nil:
				t.Error("it went on")
			case name == "changed" && !errors.As(err, &behind), name == "locked" && !errors.As(err, &locked),
				name != "changed" && name != "locked" && (!errors.As(err, &blocked) || len(blocked.Paths) == 0):
				t.Errorf("error %v", err)
			}
			if _, found, _ := k.request.Moved(); found {
				t.Error("a move was begun")
			}
			if got := w.Git("ls-files", "--others") + w.Git("diff"); got != files {
				t.Errorf("files %q, were %q", got, files)
			}
		})
	}
	t.Run("aside", func(t *testing.T) {
		b := newBox(t, otherFiles())
		k, _ := b.taker()
		tip := b.moved()
		if err := k.advance(k.take(), b.Git("commit-tree", "-m", "aside", tip+"^{tree}"), quietly); err == nil {
			t.Error("it went to a commit without its head")
		}
	})
}

func lockIndex(k *taker) {
	k.w.Helper()
	if err := os.WriteFile(k.c.Repo.IndexPath()+".lock", nil, 0o600); err != nil {
		k.w.Fatal(err)
	}
}

// What the agent's git had under way is in the head and goes no further.
func TestAdvanceQuits(t *testing.T) {
	for name, begin := range map[string][]string{"merge": {"merge", "side"}, "rebase": {"rebase", "side"},
		"cherry-pick": {"cherry-pick", "side"}} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, otherFiles())
			k, w := b.taker()
			b.Git("checkout", "-q", "-b", "side")
			b.Write(map[string]string{"f": "side\n"})
			b.Commit("side")
			b.Git("checkout", "-q", "main")
			w.Write(map[string]string{"f": "2\n"})
			tip := w.Commit("the agent's")
			if _, err := w.Try(begin...); err == nil {
				t.Fatal("no conflict")
			}
			if k.c.Repo.InProgress() == "" {
				t.Fatal("nothing is under way")
			}
			head := k.take()
			to := k.merge(head, b.moved())
			if err := k.advance(head, to, quietly); err != nil {
				t.Fatal(err)
			}
			k.arrivedAt(to)
			if under := k.c.Repo.InProgress(); under != "" {
				t.Errorf("a %s is still under way", under)
			}
			if !strings.Contains(w.Text("f"), "<<<<<<<") {
				t.Errorf("f is %q, want it as it was left", w.Text("f"))
			}
			if got := w.Git("merge-base", tip, to); got != tip {
				t.Error("the agent's commit is not in the history")
			}
		})
	}
}
