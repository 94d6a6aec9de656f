package takeover_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/intake/takeover"
)

const headRef = "refs/delegate/DEL-1/AGT-001/turn-1"

// taker takes snapshots one after the other as the supervisor does.
type taker struct {
	c       *takeover.Checkout
	w       *box
	request takeover.SnapshotRequest
}

func (b *box) taker() (*taker, *box) {
	b.Helper()
	c, w := b.agent()
	index := filepath.Join(b.TempDir(), "private", "index-1")
	return &taker{c, w, takeover.SnapshotRequest{Index: index, Ref: headRef, Message: "left\n"}}, w
}

func (k *taker) take() string {
	k.w.Helper()
	snap, err := k.c.Snapshot(k.w.Context(), k.request)
	if err != nil {
		k.w.Fatal(err)
	}
	if snap.Incomplete != "" {
		k.w.Errorf("incomplete: %s", snap.Incomplete)
	}
	if got := k.w.Git("rev-parse", headRef); got != snap.Head {
		k.w.Errorf("the reference is at %q, the head is %q", got, snap.Head)
	}
	k.request.Previous = snap.Head
	return snap.Head
}

func (k *taker) parents(head string) []string {
	return strings.Fields(k.w.Git("log", "-1", "--format=%P", head))
}

func TestSnapshotHeads(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	if got := k.take(); got != base {
		t.Errorf("nothing done: head %q, want the base", got)
	}
	w.Write(map[string]string{"f": "2\n", "new": "n\n"})
	w.Git("add", "new")
	before := w.Git("status", "--porcelain")
	left := k.take()
	if got := k.parents(left); !slices.Equal(got, []string{base}) {
		t.Errorf("parents of what was left: %q", got)
	}
	if w.Git("status", "--porcelain") != before || w.Git("rev-parse", branch) != base {
		t.Error("the agent's index or branch was touched")
	}
	if again := k.take(); again != left {
		t.Errorf("nothing changed and the head went from %q to %q", left, again)
	}
	done := w.Commit("mine")
	if got := k.take(); got != done {
		t.Errorf("all committed: head %q, want %q", got, done)
	}
}

func TestSnapshotKeepsCommitsOutsideTheBranch(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	onBranch := w.Commit("on the branch")
	w.Git("checkout", "-q", "--detach")
	detached := w.Commit("detached")
	if got := k.take(); got != detached {
		t.Errorf("detached ahead of the branch: head %q, want %q", got, detached)
	}
	w.Git("checkout", "-q", "-b", "another", onBranch+"^")
	w.Write(map[string]string{"other": "o\n"})
	other := w.Commit("on another branch")
	head := k.take()
	if got := k.parents(head); !slices.Equal(got, []string{other, onBranch}) {
		t.Errorf("parents %q, want %q and %q", got, other, onBranch)
	}
	if again := k.take(); again != head {
		t.Errorf("nothing changed and the head went from %q to %q", head, again)
	}
	if got := w.Git("ls-tree", "--name-only", head); got != "f\nother" {
		t.Errorf("files of the head: %q", got)
	}
}

// The same files do not make the same head: a commit that came beside them must be in it.
func TestSnapshotSeesACommitBehindTheSameFiles(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	w.Git("checkout", "-q", "--detach")
	w.Write(map[string]string{"left": "l\n"})
	k.take()
	elsewhere := w.Git("commit-tree", "-p", base, "-m", "elsewhere", base+"^{tree}")
	w.Git("update-ref", "refs/heads/"+branch, elsewhere)
	w.Git("update-ref", "--no-deref", "HEAD", w.Git("commit-tree", "-p", base, "-m", "here", base+"^{tree}"))
	head := w.Git("rev-parse", "HEAD")
	w.Git("update-ref", "refs/heads/"+branch, head)
	k.take()
	w.Git("update-ref", "refs/heads/"+branch, elsewhere)
	if got := k.parents(k.take()); !slices.Equal(got, []string{head, elsewhere}) {
		t.Errorf("parents %q, want %q and %q", got, head, elsewhere)
	}
}

func TestSnapshotWithoutABranch(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	mine := w.Commit("mine")
	k.take()
	w.Write(map[string]string{"left": "l\n"})
	w.Git("update-ref", "-d", "refs/heads/"+branch)
	head := k.take()
	if got := k.parents(head); !slices.Equal(got, []string{mine}) ||
		w.Git("ls-tree", "--name-only", head) != "f\nleft" {
		t.Errorf("with a deleted branch: parents %q, files %q", got, w.Git("ls-tree", "--name-only", head))
	}
	k.request.Previous = ""
	if _, err := k.c.Snapshot(t.Context(), k.request); err == nil {
		t.Error("a checkout without branch and known head has a head")
	}
	w.Git("checkout", "-q", "--detach", mine)
	if got := k.parents(k.take()); !slices.Equal(got, []string{mine}) {
		t.Errorf("detached without a branch: parents %q", got)
	}
}

func TestSnapshotOutlivesALostHead(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	w.Write(map[string]string{"left": "l\n"})
	k.request.Previous = strings.Repeat("1", 40)
	if got := k.parents(k.take()); !slices.Equal(got, []string{w.Git("rev-parse", "HEAD")}) {
		t.Errorf("parents %q", got)
	}
}

func TestSnapshotOnAnOrphanBranch(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	w.Git("checkout", "-q", "--orphan", "fresh")
	w.Write(map[string]string{"left": "l\n"})
	if got := k.parents(k.take()); !slices.Equal(got, []string{base}) {
		t.Errorf("on an unborn branch: parents %q", got)
	}
}

func TestSnapshotAfterAKilledOne(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	k.take()
	w.Write(map[string]string{"left": "l\n"})
	if err := os.WriteFile(k.request.Index+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.Git("ls-tree", "--name-only", k.take()); got != "f\nleft" {
		t.Errorf("files %q", got)
	}
}

func TestTakeBackInACheckout(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	base := w.Git("rev-parse", "HEAD")
	w.Write(map[string]string{"f": "2\n", "out": "o\n", "in": "i\n"})
	w.Commit("mine")
	if err := k.c.Repo.TakeBack(t.Context(), k.c.Branch, base, []string{"f", "out"}); err != nil {
		t.Fatal(err)
	}
	if got := w.Git("diff", "--name-only", base, k.take()); got != "in" {
		t.Errorf("the head still changes %q", got)
	}
}

// A head that the reference has is never given up for one that does not contain it; a look's is.
func TestSnapshotGivesUpNoHead(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	w.Write(map[string]string{"same": "first turn\n"})
	first := k.take()
	w.Write(map[string]string{"same": "second turn\n"})
	k.request.Previous = "" // as whoever read the registry before the first was recorded
	second := k.take()
	if got := w.Git("for-each-ref", "--format=%(objectname)", headRef+"-kept-*"); got != first {
		t.Errorf("kept %q, want %q", got, first)
	}
	if again := k.take(); again != second {
		t.Errorf("nothing changed and the head went from %q to %q", second, again)
	}
	k.request.Hold = takeover.ForALook
	w.Write(map[string]string{"same": "third turn\n"})
	k.take()
	if got := w.Git("for-each-ref", "--format=%(objectname)", headRef+"-kept-*"); got != first {
		t.Errorf("a look kept more: %q", got)
	}
}
