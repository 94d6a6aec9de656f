package takeover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/intake/takeover"
)

// lose takes objects away, as a `git prune --expire=now` does that looked at the references before.
func (b *box) lose(revisions ...string) {
	b.Helper()
	folder := b.Git("rev-parse", "--path-format=absolute", "--git-path", "objects")
	for _, revision := range revisions {
		id := b.Git("rev-parse", revision)
		if err := os.Remove(filepath.Join(folder, id[:2], id[2:])); err != nil {
			b.Fatal(err)
		}
	}
}

// whole says of what has come about that nothing of it is missing.
func (b *box) whole(revision string) {
	b.Helper()
	b.Git("rev-list", "--objects", "--quiet", revision)
}

func TestSnapshotAfterPrune(t *testing.T) {
	for name, lost := range map[string][]string{
		"a file":             {":left"},
		"a tree":             {"^{tree}"},
		"the head":           {""},
		"all that was saved": {":left", "^{tree}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			k, w := b.taker()
			k.request.Base = w.Git("rev-parse", "HEAD")
			w.Write(map[string]string{"left": "l\n"})
			first := k.take()
			for _, l := range lost {
				w.lose(first + l)
			}
			k.request.Previous = ""
			second := k.take()
			w.whole(second)
			if got := w.Git("cat-file", "blob", second+":left"); got != "l" {
				t.Errorf("the head has %q", got)
			}
		})
	}
}

// A head that is gone keeps no other from being held.
func TestSnapshotInThePlaceOfALostHead(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, w := b.taker()
	k.request.Base = w.Git("rev-parse", "HEAD")
	w.Write(map[string]string{"left": "l\n"})
	w.lose(k.take())
	w.Write(map[string]string{"left": "more\n"})
	w.whole(k.take())
}

// What an agent's git still has in its quarantine is taken over once more.
func TestSnapshotTakesOverAgainAfterPrune(t *testing.T) {
	for _, lost := range []string{"", "^{tree}", ":f"} {
		b := newBox(t, map[string]string{"f": "1\n"})
		i := b.fenced()
		tip := i.Commit(map[string]string{"f": "2\n"})
		i.takeOver()
		i.b.lose(tip + lost)
		i.k.request.Base = b.Git("rev-parse", "main")
		snap, err := i.c.Snapshot(t.Context(), i.k.request)
		if err != nil || snap.Head != tip || snap.Incomplete != "" {
			t.Fatalf("without %q: %+v, %v", lost, snap, err)
		}
		i.b.whole(tip)
	}
}

// Where commits are gone for good, the files are saved on what there is, and the head says what it lacks.
func TestSnapshotWithoutTheBranchesCommits(t *testing.T) {
	for _, lost := range []string{"", "^{tree}", ":f"} {
		b := newBox(t, map[string]string{"f": "1\n"})
		k, w := b.taker()
		k.request.Base = w.Git("rev-parse", "HEAD")
		w.Write(map[string]string{"f": "2\n"})
		first := w.Commit("first")
		w.Write(map[string]string{"f": "3\n", "left": "l\n"})
		w.Commit("second")
		w.lose(first + lost)
		snap, err := k.c.Snapshot(t.Context(), k.request)
		if err != nil || !strings.Contains(snap.Incomplete, "are not all there") {
			t.Fatalf("without %q: %+v, %v", lost, snap, err)
		}
		w.whole(headRef)
		if got := w.Git("cat-file", "blob", snap.Head+":left"); got != "l" {
			t.Errorf("the head has %q", got)
		}
		k.request.Ref, k.request.Hold, k.request.Previous = headRef+"-look", takeover.ForALook, snap.Head
		if look, err := k.c.Snapshot(t.Context(), k.request); err != nil || look.Head != snap.Head {
			t.Errorf("a look after that: %+v, %v", look, err)
		}
	}
}
