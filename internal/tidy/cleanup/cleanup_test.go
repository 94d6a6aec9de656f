package cleanup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/git/gittest"
	"delegate/internal/project"
	"delegate/registry"
)

// What landed goes by default, by whatever way it landed; what did not goes when it is asked for, and can be had again.
func TestLandedAndUnlanded(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"merge", "squash"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.begin("landed", "open", "ready")
			for _, name := range []string{"landed", "open", "ready"} {
				r.works(name)
			}
			r.lands("landed", how)
			r.rejects("open")
			_, open := r.agent("open")
			if ready := r.work("ready"); ready.Kind != "" {
				t.Errorf("of an agent that is ready: %+v", ready)
			}
			if it := r.work("landed"); it.Content != Landed || it.Target != "main" || it.Refusal != nil {
				t.Errorf("landed, in the active session: %+v", it)
			}
			r.rejects("ready")
			r.end()
			if r.clean(Selection{})[Failed] != 0 || r.has(r.p.WorkPath("landed", 1)) || !r.has(open.Worktree) {
				t.Error("the default removes what landed and nothing else")
			}
			it := r.work("open")
			if it.Content != Unlanded || it.Commits != 2 || strings.Join(it.Files, " ") != "open/committed open/left" {
				t.Errorf("open: %+v", it)
			}
			r.clean(Selection{All: true})
			if branches := r.refs("refs/heads/delegate"); len(branches) > 0 || r.has(r.p.WorktreeRoot()) {
				t.Errorf("left: %q", branches)
			}
			if kept := r.Git("rev-parse", r.refs("refs/delegate/removed/open")[0]); kept != open.Head {
				t.Errorf("%s is kept of %s", kept, open.Head)
			}
		})
	}
}

// What is not certain to be needed by nobody stays, with the reason, whatever was asked for; also where it came about
// after the list was shown.
func TestRefused(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	for name, c := range map[string]struct {
		do   func(r *rig, tree *gittest.Repo)
		says string
	}{
		"an ignored":  {func(_ *rig, tree *gittest.Repo) { tree.Write(files{"ignored": "2\n"}) }, "ignores"},
		"a lock":      {func(r *rig, tree *gittest.Repo) { r.Git("worktree", "lock", tree.Dir) }, "locked"},
		"a commit":    {func(_ *rig, tree *gittest.Repo) { tree.Commit("mine") }, ""},
		"a bisection": {func(_ *rig, tree *gittest.Repo) { tree.Git("bisect", "start") }, "bisect is under way"},
		"an index lock": {func(_ *rig, tree *gittest.Repo) {
			lock := filepath.Join(tree.Git("rev-parse", "--absolute-git-dir"), "index.lock")
			if err := os.WriteFile(lock, nil, 0o644); err != nil {
				tree.Fatal(err)
			}
		}, "index locked"},
		"a process": {func(_ *rig, tree *gittest.Repo) {
			c := exec.CommandContext(tree.Context(), "sleep", "60")
			if c.Dir = tree.Dir; c.Start() != nil {
				tree.Fatal("no process")
			}
			tree.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
		}, "process"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.begin("landed", "open")
			trees := []*gittest.Repo{r.works("landed"), r.works("open")}
			r.lands("landed", "merge")
			r.rejects("open")
			r.end()
			shown := Selection{All: true}.Plan(r.find(), r.p.Now())
			var goes []Item
			for _, it := range shown {
				goes = append(goes, it.Item)
			}
			before := make([]string, len(trees))
			for i, tree := range trees {
				c.do(r, tree)
				before[i] = tree.Git("rev-parse", "HEAD")
			}
			results, err := Remove(t.Context(), r.p, goes)
			r.ok(err)
			for _, result := range results {
				if result.Kind == Worktree && (result.Outcome != Refused || result.Refusal.Next == "") {
					t.Errorf("%s: %s", result.Item, result.Outcome)
				}
				if result.Kind == Private && result.Outcome != Refused {
					t.Errorf("what its worktrees are judged by: %s", result.Outcome)
				}
			}
			for i, name := range []string{"landed", "open"} {
				it := r.work(name)
				if c.says != "" && (it.Refusal == nil || !strings.Contains(it.Refusal.Reason, c.says)) {
					t.Errorf("%s: %+v", name, it.Refusal)
				}
				if !r.has(trees[i].Dir) || r.Git("rev-parse", "refs/heads/delegate/"+name) != before[i] {
					t.Errorf("%s is gone", name)
				}
			}
		})
	}
}

// Files that changed since the head was taken are told of, kept by the reference that keeps the work, and no reason to
// stay; not where they came about after the list was shown.
func TestEdits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin("landed", "open")
	trees := []*gittest.Repo{r.works("landed"), r.works("open")}
	r.lands("landed", "merge")
	r.rejects("open")
	r.end()
	shown := r.find()
	for _, tree := range trees {
		tree.Write(map[string]string{"tracked": "2\n", "new": "mine\n"})
	}
	results, err := Remove(t.Context(), r.p, shown)
	r.ok(err)
	for _, result := range results {
		if result.Kind == Worktree && result.Outcome != Refused {
			t.Errorf("changed since it was shown: %s, %s", result.Item, result.Outcome)
		}
	}
	if r.clean(Selection{})[Removed] != 0 {
		t.Error("the default removes what is in no commit")
	}
	for i, name := range []string{"landed", "open"} {
		it := r.work(name)
		if it.Content != Unlanded || it.Refusal != nil || strings.Join(it.Edits, " ") != "new tracked" ||
			!strings.Contains(it.String(), "2 files in it changed since: new, tracked") ||
			!strings.Contains(it.Next(), "--all (all of it stays as a commit below refs/delegate/removed/") {
			t.Errorf("%s: %s: %+v", name, it, it)
		}
		if !r.has(trees[i].Dir) {
			t.Errorf("%s is gone", name)
		}
	}
	r.clean(Selection{All: true})
	for i, name := range []string{"landed", "open"} {
		kept := r.refs("refs/delegate/removed/" + name)
		if len(kept) != 1 || r.has(trees[i].Dir) {
			t.Fatalf("of %s is kept: %q", name, kept)
		}
		for path, want := range map[string]string{"tracked": "2", "new": "mine", name + "/left": "y"} {
			if got := r.Git("show", kept[0]+":"+path); got != want {
				t.Errorf("%s of %s: %q", path, name, got)
			}
		}
	}
}

// A removal that is cut off after any step is gone on with, and what did not land is kept once.
func TestCutOffAnywhere(t *testing.T) {
	t.Parallel()
	for last := range 9 {
		t.Run(fmt.Sprint(last), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.begin("landed", "open")
			r.works("landed")
			r.works("open")
			r.lands("landed", "squash")
			r.rejects("open")
			_, open := r.agent("open")
			r.end()
			count := 0
			r.step = func(string) {
				if count++; count > last {
					panic("cut off")
				}
			}
			if !cutOff(func() { r.clean(Selection{All: true}) }) {
				t.Errorf("only %d steps", count)
			}
			r.step = nil
			r.clean(Selection{All: true})
			kept := r.refs("refs/delegate/removed")
			if len(kept) != 1 || r.Git("rev-parse", kept[0]) != open.Head {
				t.Errorf("kept %q", kept)
			}
			for _, it := range r.find() {
				if it.Content != OnlyCopy {
					t.Error(it)
				}
			}
		})
	}
}

// cutOff says whether something was.
func cutOff(do func()) (was bool) {
	defer func() { was = recover() != nil }()
	do()
	return false
}

// What an earlier attempt did not commit is kept with its branch; a person's branch is nobody's.
func TestOwners(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin("twice")
	r.works("twice")
	_, a := r.agent("twice")
	r.move(a.ID, registry.EventSentBack, registry.Person, nil)
	r.move(a.ID, registry.EventFailed, registry.Supervisor, nil)
	base := r.Git("rev-parse", "main")
	r.move(a.ID, registry.EventRetried, registry.Person, func(a *registry.Agent) {
		session.Place(r.p, a, 2)
		a.Base, a.Head = base, base
	})
	r.move(a.ID, registry.EventAborted, registry.Person, nil)
	r.Git("branch", "delegate/mine")
	r.Git("branch", "delegate/twice-mine")
	r.end()
	it := r.work("twice")
	if it.Branch != "delegate/twice" || it.Content != Unlanded || it.Refusal != nil {
		t.Errorf("the first attempt: %+v", it)
	}
	r.clean(Selection{All: true})
	if kept := r.refs("refs/delegate/removed/twice"); len(kept) != 1 ||
		r.Git("rev-parse", kept[0]+"^{tree}") != r.Git("rev-parse", a.Head+"^{tree}") {
		t.Errorf("of the first attempt is kept: %q", kept)
	}
	if left := r.refs("refs/heads/delegate"); strings.Join(left, " ") !=
		"refs/heads/delegate/mine refs/heads/delegate/twice-mine" {
		t.Errorf("left: %q", left)
	}
}

// Age counts by what was last done, and what git would take away for good needs all that can be asked for.
func TestSelection(t *testing.T) {
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	old, fresh := now.AddDate(0, 0, -8), now.AddDate(0, 0, -1)
	week := 7 * 24 * time.Hour
	for _, c := range []struct {
		content Content
		changed time.Time
		s       Selection
		want    Decision
	}{
		{Landed, fresh, Selection{}, ToRemove},
		{Landed, fresh, Selection{Older: week}, ToKeep},
		{Landed, time.Time{}, Selection{Older: week}, ToKeep},
		{Landed, old, Selection{Older: week}, ToRemove},
		{Unlanded, old, Selection{Older: week}, ToKeep},
		{Unlanded, old, Selection{All: true, Older: week}, ToRemove},
		{Printed, fresh, Selection{}, ToKeep},
		{Printed, fresh, Selection{All: true}, ToRemove},
		{Printed, old, Selection{Older: week}, ToRemove},
		{OnlyCopy, old, Selection{All: true, Older: week}, ToKeep},
		{OnlyCopy, old, Selection{All: true, OnlyCopies: true}, ToKeep},
		{OnlyCopy, old, Selection{All: true, Older: week, OnlyCopies: true}, ToRemove},
	} {
		if got := c.s.Plan([]Item{{Content: c.content, Changed: c.changed}}, now)[0].Decision; got != c.want {
			t.Errorf("%s, %s, %+v: %s", c.content, c.changed, c.s, got)
		}
	}
}

// Branches speak for themselves where no session is recorded, and a look changes nothing.
func TestUnrecorded(t *testing.T) {
	r := newRig(t)
	landed, _ := r.branch(sessionID, "AGT-001")
	r.Git("merge", "-q", "--no-ff", "-m", "Land", landed)
	r.branch(sessionID, "AGT-002")
	r.branch(sessionID, "AGT-003")
	r.Git("worktree", "remove", "--force", filepath.Join(r.p.SessionDir(sessionID), "AGT-003", "work"))
	before := r.Git("for-each-ref") + r.Git("status", "--porcelain") + r.Git("worktree", "list")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if it := r.work("AGT-001"); it.Kind != Worktree || it.Next() != "delegate clean" ||
		!strings.Contains(it.String(), "it has nothing that main has not") {
		t.Errorf("landed: %+v", it)
	}
	for agent, kind := range map[string]Kind{"AGT-002": Worktree, "AGT-003": Branch} {
		it := r.work(agent)
		if it.Kind != kind || it.Content != Unlanded || it.Commits != 1 || it.Refusal != nil {
			t.Errorf("%s: %+v", agent, it)
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a look leaves %v, %v", left, err)
	}
	if after := r.Git("for-each-ref") + r.Git("status", "--porcelain") + r.Git("worktree", "list"); after != before {
		t.Errorf("a look changed\n%s\nto\n%s", before, after)
	}
	t.Setenv("TMPDIR", filepath.Join(tmp, "gone"))
	if it := r.work("AGT-001"); it.Refusal == nil || !strings.Contains(it.Refusal.Reason, "may have changed") {
		t.Errorf("where nothing can be compared: %+v", it)
	}
	t.Setenv("TMPDIR", tmp)
	r.clean(Selection{All: true})
	if left, kept := r.refs("refs/heads/delegate"), r.refs("refs/delegate/removed"); len(left) > 0 || len(kept) != 2 {
		t.Errorf("left: %q, kept: %q", left, kept)
	}
}

func TestCheckoutsForVerification(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	scratch := filepath.Join(r.p.WorktreeRoot(), "scratch-2")
	r.Git("worktree", "add", "-q", "--detach", scratch)
	mine := filepath.Join(r.p.SessionDir(sessionID), "private")
	r.Git("worktree", "add", "-q", "-b", "mine", mine)
	all := r.find()
	if len(all) != 2 || all[1].Kind != Checkout && all[0].Kind != Checkout {
		t.Fatalf("%+v", all)
	}
	for _, it := range all {
		if it.Branch == "mine" && (it.Refusal == nil || !strings.Contains(it.String(), "on mine")) {
			t.Errorf("a person's own worktree: %+v", it)
		}
	}
	r.clean(Selection{All: true})
	if r.has(scratch) || !r.has(filepath.Join(mine, "tracked")) {
		t.Error("the checkout goes, the person's worktree stays")
	}
	r.begin("one")
	r.Git("worktree", "add", "-q", "--detach", scratch)
	for _, it := range r.find() {
		if it.Kind == Checkout {
			t.Errorf("while a session may verify: %+v", it)
		}
	}
}

// Of worktrees whose folder is gone only that of an agent is forgotten, and no commit that only its head held is lost;
// where all of them are away, as on a disk, none is.
func TestGoneFolder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, lost := r.branch(sessionID, "AGT-001")
	tree := gittest.In(t, lost)
	tree.Git("checkout", "-q", "--detach")
	head := tree.Commit("Held by nothing else")
	mine := filepath.Join(filepath.Dir(r.Dir), "mine")
	r.Git("worktree", "add", "-q", "--detach", mine)
	r.ok(os.RemoveAll(mine))
	r.ok(os.Rename(r.p.WorktreeRoot(), r.p.WorktreeRoot()+"-away"))
	r.clean(Selection{All: true})
	if list := r.Git("worktree", "list"); !strings.Contains(list, lost) {
		t.Errorf("a disk was away:\n%s", list)
	}
	r.ok(os.Rename(r.p.WorktreeRoot()+"-away", r.p.WorktreeRoot()))
	r.ok(os.RemoveAll(lost))
	r.clean(Selection{All: true})
	if list := r.Git("worktree", "list"); strings.Contains(list, lost) || !strings.Contains(list, mine) {
		t.Errorf("worktrees afterwards:\n%s", list)
	}
	if r.Git("for-each-ref", "--contains="+head) == "" {
		t.Error("no reference holds what was committed in it")
	}
}

// An agent's worktree that a person removed by hand goes with its branch in one run, and the commits stay under the
// name that was told before.
func TestFolderRemovedByHand(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin("open")
	r.works("open")
	r.rejects("open")
	_, a := r.agent("open")
	r.end()
	r.ok(os.RemoveAll(a.Worktree))
	told := r.find()
	later := r.p.Now().Add(time.Minute)
	r.p.Now = func() time.Time { return later }
	results, err := Remove(t.Context(), r.p, told)
	r.ok(err)
	kept := ""
	for i, result := range results {
		if result.Outcome == Refused {
			t.Errorf("%v stays: %+v", result.Item, result.Refusal)
		}
		if result.KeptAs != told[i].KeptAs {
			t.Errorf("kept as %s, told %s", result.KeptAs, told[i].KeptAs)
		}
		kept += result.KeptAs
	}
	if refs := r.refs("refs/delegate/removed"); len(refs) != 1 || refs[0] != kept {
		t.Errorf("%v hold the commits, not %s", refs, kept)
	}
	if list := r.Git("worktree", "list"); strings.Contains(list, a.Worktree) || r.has(r.p.WorktreeRoot()) {
		t.Errorf("its worktree or the folder around it is still there:\n%s", list)
	}
}

// The folder of the worktrees stays as long as git lists one in it: without that folder all would count as away.
func TestFolderOfListedWorktreesStays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin("open", "gone")
	r.works("open")
	r.works("gone")
	r.rejects("open")
	r.rejects("gone")
	_, open := r.agent("open")
	_, gone := r.agent("gone")
	r.end()
	r.ok(os.RemoveAll(gone.Worktree))
	var goes []Item
	for _, it := range (Selection{All: true}).Plan(r.find(), r.p.Now()) {
		if it.Decision == ToRemove && it.Path != gone.Worktree && it.Branch != gone.Branch {
			goes = append(goes, it.Item)
		}
	}
	_, err := Remove(t.Context(), r.p, goes)
	r.ok(err)
	if r.has(open.Worktree) || !r.has(r.p.WorktreeRoot()) {
		t.Error("the folder of the worktrees went while git lists one in it")
	}
	if got := r.clean(Selection{All: true}); got[Refused] != 0 || r.has(r.p.WorktreeRoot()) {
		t.Errorf("the rest came to %v", got)
	}
}

// A person who was told so gives up for good what nothing else holds.
func TestGivenUpForGood(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin("open")
	r.works("open")
	r.rejects("open")
	r.end()
	r.clean(Selection{All: true})
	later := r.p.Now().Add(48 * time.Hour)
	r.p.Now = func() time.Time { return later }
	r.clean(Selection{All: true, Older: 24 * time.Hour})
	if len(r.refs("refs/delegate/removed")) != 1 {
		t.Error("only a person at a terminal gives commits up")
	}
	r.clean(Selection{All: true, Older: 24 * time.Hour, OnlyCopies: true})
	if left := r.refs("refs/delegate"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if all := r.find(); len(all) > 0 {
		t.Error(fmt.Sprint(all))
	}
}

// TestReferencesOfASession holds that what a landing or a gathering that was cut off keeps is told, and goes only where
// a branch has it or a person gives it up.
func TestReferencesOfASession(t *testing.T) {
	t.Parallel()
	for _, ref := range []func(string) string{project.LandingRef, project.IntegrationRef} {
		r := newRig(t)
		r.begin("open")
		id, _ := r.agent("open")
		made := r.Git("commit-tree", "-p", "main", "-m", "Land", "main^{tree}")
		r.Git("update-ref", ref(id), made)
		if r.clean(Selection{All: true, Older: 1, OnlyCopies: true}); len(r.refs(ref(id))) != 1 {
			t.Error("removed of a session that goes on")
		}
		r.end()
		r.clean(Selection{All: true})
		all := r.find()
		if len(r.refs(ref(id))) != 1 || len(all) != 1 || all[0].Content != OnlyCopy || all[0].Session != id {
			t.Fatalf("what nothing else holds: %+v", all)
		}
		r.Git("update-ref", "refs/heads/main", made)
		if all := r.find(); len(all) != 1 || all[0].Content != Landed {
			t.Errorf("what main holds: %+v", all)
		}
		r.clean(Selection{})
		if left := r.refs("refs/delegate"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}
