package takeover_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/intake/takeover"
)

func TestTakeOverCommits(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n", "kept": "k\n"}, "--object-format="+format)
			i := b.fenced()
			base := b.Git("rev-parse", "main")
			if taken := i.takeOver(); len(taken.Divergent)+len(taken.Faults) != 0 {
				t.Errorf("before any work: %+v", taken)
			}
			tip := i.Commit(map[string]string{"f": "2\n", "new/file": "n\n"})
			i.at(base, onBranch)
			i.Write(map[string]string{"f": "3\n"})
			taken := i.takeOver()
			i.at(tip, onBranch)
			if len(taken.Divergent)+len(taken.Faults) != 0 {
				t.Errorf("taken %+v", taken)
			}
			if got := i.w.Git("status", "--porcelain"); got != " M f" {
				t.Errorf("status %q, want what is uncommitted as unstaged", got)
			}
			i.sound()
			i.Git("commit", "-q", "--amend", "-a", "-m", "amended")
			amended := i.Git("rev-parse", "HEAD")
			i.takeOver()
			i.at(amended, onBranch)
			if got := i.w.Git("status", "--porcelain"); got != "" {
				t.Errorf("status %q after all is committed", got)
			}
			i.sound()
		})
	}
}

func TestTakeOverDetachedAndOtherBranches(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	base := i.b.Git("rev-parse", "main")
	i.Git("checkout", "-q", "--detach")
	detached := i.Commit(map[string]string{"f": "2\n"})
	i.takeOver()
	i.at(base, detached)
	i.Git("checkout", "-q", "-b", "delegate/DEL-1/AGT-001/deep/side")
	side := i.Commit(map[string]string{"side": "s\n"})
	i.takeOver()
	const outside = "delegate/DEL-1/AGT-001/work.beside/deep/side"
	i.at(base, "ref: refs/heads/"+outside)
	if got := i.b.Git("rev-parse", outside); got != side {
		t.Errorf("the agent's further branch is at %q, want %q", got, side)
	}
	side = i.Commit(map[string]string{"side": "t\n"})
	i.takeOver()
	if got := i.b.Git("rev-parse", outside); got != side {
		t.Errorf("the agent's further branch is at %q, want %q", got, side)
	}
	i.Git("checkout", "-q", "-B", branch)
	i.takeOver()
	i.at(side, onBranch)
	if err := os.Remove(filepath.Join(i.q.Refs(), "work")); err != nil {
		t.Fatal(err)
	}
	if taken := i.takeOver(); len(taken.Faults) != 0 {
		t.Errorf("a deleted branch: %+v", taken)
	}
	i.at(side, onBranch)
}

// Other agents' branches lie in the same folder. What the agent calls by such a name is another branch outside.
func TestTakeOverLeavesAnothersBranchAlone(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	const other = "refs/heads/delegate/DEL-1/AGT-001/other"
	const own = "refs/heads/delegate/DEL-1/AGT-001/work.beside/other"
	external := i.b.Git("commit-tree", "-m", "foreign", "HEAD^{tree}")
	i.b.Git("update-ref", other, external)
	tip := i.Commit(map[string]string{"f": "2\n"})
	i.put("refs/other", tip+"\n")
	if taken := i.takeOver(); len(taken.Faults) != 0 {
		t.Errorf("a branch of its own: %+v", taken)
	}
	i.at(tip, onBranch)
	if got := i.b.Git("rev-parse", other, own); got != external+"\n"+tip {
		t.Errorf("the other's branch and its own are at\n%s", got)
	}
	i.b.Git("update-ref", own, external)
	i.put("refs/other", i.Commit(map[string]string{"f": "3\n"})+"\n")
	contains(t, i.takeOver().Faults, `"work.beside/other" is another's`)
	i.put("refs/work.beside/other", tip+"\n")
	contains(t, i.takeOver().Faults, `another one has its name outside, "work.beside/other"`)
	if got := i.b.Git("rev-parse", other, own); got != external+"\n"+external {
		t.Errorf("the other's branch and what somebody moved are at\n%s", got)
	}
}

// Without mounts the agent can write no reference: it is on no branch, and its branch follows it, unless it looks at
// what its branch has already or somebody moved that.
func TestBranchFollows(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.enter(takeover.ObjectsOnly)
	refs := filepath.Join(i.b.Dir, ".git", "refs", "heads", "delegate")
	base := i.b.Git("rev-parse", "main")
	i.at(base, base)
	first := i.Commit(map[string]string{"f": "2\n"})
	if got := i.b.Git("rev-parse", branch); got != base {
		t.Errorf("the agent wrote to %s: %s is at %s", refs, branch, got)
	}
	i.takeOver()
	i.at(first, first)
	i.Git("checkout", "-q", base)
	i.takeOver()
	i.at(first, base)
	i.Git("checkout", "-q", first)
	i.Git("commit", "-q", "--amend", "-m", "amended")
	amended := i.Git("rev-parse", "HEAD")
	i.takeOver()
	i.at(amended, amended)
	i.b.Git("update-ref", "refs/heads/"+branch, first)
	second := i.Commit(map[string]string{"f": "3\n"})
	if taken := i.takeOver(); len(taken.Divergent) != 1 || taken.Divergent[0] != second {
		t.Errorf("beside a branch that somebody moved: %+v", taken)
	}
	i.at(first, second)
}

// Somebody commits in the worktree while the agent works.
func TestTakeOverDuringAPersonsWork(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	first := i.Commit(map[string]string{"f": "2\n"})
	i.takeOver()
	i.w.Write(map[string]string{"person": "p\n"})
	i.w.Git("add", "person")
	i.w.Git("commit", "-q", "-m", "person's")
	person := i.w.Git("rev-parse", "HEAD")
	if taken := i.takeOver(); !slices.Equal(taken.Divergent, []string{first}) {
		t.Errorf("beside %q, want what the agent is at", taken.Divergent)
	}
	second := i.Commit(map[string]string{"f": "3\n"})
	for range 2 { // found and remembered
		if taken := i.takeOver(); !slices.Equal(taken.Divergent, []string{second}) {
			t.Errorf("beside %q, want %q", taken.Divergent, second)
		}
		i.at(person, onBranch)
	}
	head := i.k.take()
	if got := i.k.parents(head); !slices.Equal(got, []string{person, second}) {
		t.Errorf("parents of the head %q, want %q", got, []string{person, second})
	}
	i.enter(takeover.Whole)
	if got := i.Git("rev-parse", "HEAD"); got != person {
		t.Errorf("the next turn begins at %q, want the person's commit", got)
	}
	if _, err := os.Lstat(i.q.GitDir() + "-kept-1"); err != nil {
		t.Error(err)
	}
	third := i.Commit(map[string]string{"f": "4\n"})
	if got := i.k.parents(i.k.take()); !slices.Equal(got, []string{third, second}) {
		t.Errorf("parents of the next head %q, want %q", got, []string{third, second})
	}
	i.at(third, onBranch)
}

// What a turn left under way is there in the next one.
func TestEnterAgain(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.Commit(map[string]string{"f": "2\n"})
	i.Write(map[string]string{"g": "g\n"})
	i.Git("add", "g")
	i.put("gitdir/MERGE_MSG", "under way\n")
	i.k.take()
	for range 2 {
		i.enter(takeover.Whole)
	}
	if got := i.Git("diff", "--cached", "--name-only"); got != "g" {
		t.Errorf("staged %q", got)
	}
	if _, err := os.Lstat(filepath.Join(i.q.GitDir(), "MERGE_MSG")); err != nil {
		t.Error(err)
	}
	found, err := filepath.Glob(i.q.Folder + "/*-kept-*")
	if err != nil || len(found) != 0 {
		t.Errorf("kept %q, %v", found, err)
	}
}

// A fence that got weaker or stronger between two turns loses nothing.
func TestEnterInAnotherMode(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.Commit(map[string]string{"f": "2\n"})
	i.enter(takeover.ObjectsOnly)
	if i.q.Whole() {
		t.Fatal("it is whole")
	}
	second := i.Commit(map[string]string{"f": "3\n"})
	if lacking, err := i.c.Repo.Missing(t.Context(), []string{second}); err != nil || len(lacking) != 1 {
		t.Fatalf("the agent wrote to the repository: it lacks %q, %v", lacking, err)
	}
	if got := i.k.take(); got != second {
		t.Errorf("head %q, want %q", got, second)
	}
	i.sound()
	third := i.Commit(map[string]string{"f": "4\n"})
	i.enter(takeover.Whole)
	if got := i.Git("rev-parse", "HEAD"); got != third {
		t.Errorf("HEAD %q, want %q", got, third)
	}
	fourth := i.Commit(map[string]string{"f": "5\n"})
	if got := i.k.take(); got != fourth {
		t.Errorf("head %q, want %q", got, fourth)
	}
	i.at(fourth, onBranch)
}

// The branch is packed by a person's gc, before and between.
func TestTakeOverPackedBranch(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	k, _ := b.taker()
	b.Git("pack-refs", "--all", "--prune")
	i := &inside{box: k.w, c: k.c, w: k.w, k: k, b: b}
	k.request.Quarantine = filepath.Join(b.TempDir(), "quarantine")
	i.enter(takeover.Whole)
	for n := range 3 {
		tip := i.Commit(map[string]string{"f": fmt.Sprint("changed ", n)})
		if n < 2 {
			b.Git("pack-refs", "--all", "--prune")
		}
		i.takeOver()
		i.at(tip, onBranch)
	}
}

// Packs of the agent's own come in as well, and many objects as one pack.
func TestTakeOverPacks(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	files := map[string]string{}
	for n := range 150 {
		files[fmt.Sprintf("many/%d", n)] = fmt.Sprint(n)
	}
	i.Commit(files)
	i.Git("repack", "-q", "-a", "-d", "-l")
	tip := i.Commit(map[string]string{"f": "2\n"})
	i.takeOver()
	i.at(tip, onBranch)
	i.sound()
	if packs, err := filepath.Glob(filepath.Join(i.c.Repo.CommonDir, "objects", "pack", "*.pack")); err != nil ||
		len(packs) != 1 {
		t.Errorf("packs %q, %v", packs, err)
	}
}

// Objects came in and nothing moved, or the branch moved and nothing was noted.
func TestTakeOverAfterACrash(t *testing.T) {
	for _, after := range []string{"objects", "branch"} {
		t.Run(after, func(t *testing.T) {
			i := newBox(t, map[string]string{"f": "1\n"}).fenced()
			tip := i.Commit(map[string]string{"f": "2\n"})
			dies := map[string]string{"objects": "update-ref", "branch": "read-tree"}[after]
			disarm := wrapGit(t, `if test "$sub" = `+dies+`; then exit 9; fi`)
			if taken, err := i.c.TakeOver(t.Context(), i.q); err == nil {
				t.Fatalf("nothing happened: %+v", taken)
			}
			disarm()
			if after == "branch" {
				i.at(tip, onBranch)
				tip = i.Commit(map[string]string{"f": "3\n"}) // the agent goes on meanwhile
			}
			if taken := i.takeOver(); len(taken.Divergent)+len(taken.Faults) != 0 {
				t.Errorf("taken %+v", taken)
			}
			i.at(tip, onBranch)
		})
	}
}

// Entering is cut off at its first step, and in the middle of furnishing.
func TestEnterAfterACrash(t *testing.T) {
	for _, left := range []string{"", "entering/gitdir/HEAD", "refs/work", "gitdir/HEAD"} {
		t.Run(left, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			k, w := b.taker()
			i := &inside{box: w, c: k.c, w: w, k: k, b: b,
				q: takeover.Quarantine{Folder: filepath.Join(t.TempDir(), "quarantine")}}
			k.request.Quarantine = i.q.Folder
			if left != "" {
				i.put(left, "half\n")
			}
			if _, begun := takeover.OpenQuarantine(i.q.Folder); begun {
				t.Error("begun before it was entered")
			}
			i.enter(takeover.Whole)
			tip := i.Commit(map[string]string{"f": "2\n"})
			i.takeOver()
			i.at(tip, onBranch)
		})
	}
}

// A person who has something staged in the worktree keeps it, and one who holds the lock is waited for.
func TestTakeOverLeavesWhatAPersonStaged(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	lock := filepath.Join(i.c.Repo.GitDir, "index.lock")
	i.Commit(map[string]string{"f": "2\n"})
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	i.takeOver()
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	i.takeOver()
	if got := i.w.Git("status", "--porcelain"); got != "" {
		t.Errorf("status %q after the lock was gone", got)
	}
	i.Write(map[string]string{"staged": "once\n"})
	i.w.Git("add", "staged")
	i.Write(map[string]string{"staged": "again\n"})
	i.Commit(map[string]string{"f": "3\n"})
	i.takeOver()
	if got := i.w.Git("show", ":staged"); got != "once" {
		t.Errorf("staged %q", got)
	}
}

// What the agent staged although it is ignored is in the head; what its index says beside that is not believed.
func TestSnapshotTakesTheAgentsStaged(t *testing.T) {
	i := newBox(t, map[string]string{".gitignore": "*.log\n", "f": "1\n"}).fenced()
	i.Write(map[string]string{"a.log": "a\n", "b.log": "b\n"})
	i.Git("add", "--force", "a.log")
	i.w.Git("add", "--force", "b.log")
	names := strings.Fields(i.b.Git("ls-tree", "-r", "--name-only", i.k.take()))
	if !slices.Contains(names, "a.log") || slices.Contains(names, "b.log") {
		t.Errorf("the head has %q", names)
	}
	i.put("gitdir/index", "DIRC garbage")
	snap, err := i.c.Snapshot(t.Context(), i.k.request)
	if err != nil || snap.Incomplete == "" {
		t.Errorf("an index that is none: %+v, %v", snap, err)
	}
}

// An agent's index is read for its files alone: what it says beside them, of trees and of folders, leads git nowhere.
func TestSnapshotBelievesNoExtensionOfAnIndex(t *testing.T) {
	i := newBox(t, map[string]string{".gitignore": "*.log\nbuild\n", "f": "1\n"}).fenced()
	i.Write(map[string]string{"a.log": "a\n", "build/out": "o\n"})
	i.Git("add", "--force", "a.log")
	index, err := os.ReadFile(filepath.Join(i.q.GitDir(), "index"))
	if err != nil {
		t.Fatal(err)
	}
	// so many folders in one another that git's reading of them ends by a signal
	deep := strings.Repeat("d\x00-1 1\n", 1_000_000)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(deep)))
	i.put("gitdir/index", string(index[:len(index)-20])+"TREE"+string(size)+deep+string(make([]byte, 20)))
	tree := i.b.Git("ls-tree", "-r", "--name-only", i.k.take())
	if !strings.Contains(tree, "a.log") || strings.Contains(tree, "build") {
		t.Errorf("the head has %q", tree)
	}
}

// TestSnapshotOfASplitIndex holds that where an agent's index has two parts the head says what it lacks.
func TestSnapshotOfASplitIndex(t *testing.T) {
	i := newBox(t, map[string]string{"f": "1\n"}).fenced()
	i.Git("update-index", "--split-index")
	snap, err := i.c.Snapshot(t.Context(), i.k.request)
	if err != nil || !strings.Contains(snap.Incomplete, "core.splitIndex") {
		t.Errorf("%+v, %v", snap, err)
	}
}
