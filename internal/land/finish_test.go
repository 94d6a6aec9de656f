package land_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/land"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/tidy/completion"
	"delegate/registry"
)

func (r *rig) gone(path string) {
	r.Helper()
	if _, err := os.Lstat(filepath.Join(r.dir, path)); err == nil {
		r.Errorf("%s is there", path)
	}
}

func (r *rig) endSession(state registry.State) completion.Ending {
	r.Helper()
	e, err := completion.Complete(r.ctx, r.p, r.closingOf(state))
	r.ok(err)
	return e
}

// closing is what a person would be shown now.
func (r *rig) closing() completion.Closing {
	r.Helper()
	return r.closingOf(r.state())
}

func (r *rig) closingOf(state registry.State) completion.Closing {
	r.Helper()
	return completion.Closing{
		State: state,
		Tip:   r.main(),
		Tests: project.Outcome{Result: project.NoCommands},
		Who:   "Pat",
	}
}

// What happened while the question was open counts.
func TestCompleteLooksAgain(t *testing.T) {
	t.Parallel()
	r := begin(t, base(), nil, nil)
	a := r.works("AGT-001", work())
	r.land("AGT-001")
	r.works("AGT-002", files{"src/two.txt": "2\n"})
	r.land("AGT-002")
	shown := r.closing()
	r.rollBack("AGT-002")
	_, err := completion.Complete(r.ctx, r.p, shown)
	as[*completion.NotOverError](t, err)
	r.land("AGT-002")
	if _, err = completion.Complete(r.ctx, r.p, shown); !errors.Is(err, land.ErrRefused) {
		t.Errorf("the target moved since it was verified: %v", err)
	}
	if _, err := os.Stat(a.Worktree); err != nil || r.state().Session == nil {
		t.Errorf("something was done: %v", err)
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	all := base()
	all["docs/01_progress.md"] = "# Progress\n\n**Progress**: 0%\n\n## II. Recent Updates\n"
	r := begin(t, all)
	r.configure("landing: {mode: merge}\n")
	a := r.works("AGT-001", work())
	_, err := completion.Complete(r.ctx, r.p, r.closing())
	as[*completion.NotOverError](t, err)
	r.land("AGT-001")
	r.git("update-ref", project.LookRef(r.state().Session.ID, "AGT-001"),
		r.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", "A look while it worked"))
	r.put(r.p.AgentDir(r.state().Session.ID, a.ID), files{"inbox/note.md": "for all\n"})
	state := r.state()
	head := r.agent("AGT-001").Head
	look := r.git("commit-tree", "-p", head+"^", "-m", "a look a second before the turn ended", head+"^{tree}")
	r.git("update-ref", "refs/delegate/"+state.Session.ID+"/AGT-001/look", look)
	e := r.endSession(state)
	if len(e.Removed) != 1 || len(e.Kept) != 0 || len(e.Merged) != 1 {
		t.Errorf("ending %+v", e)
	}
	if _, err := os.Stat(a.Worktree); err == nil {
		t.Error("the worktree is left")
	}
	if got := r.git("for-each-ref", "refs/delegate", "refs/heads/delegate"); got != "" {
		t.Errorf("references left: %s", got)
	}
	r.same("the note", r.read("docs/logs/"+state.Session.ID+"/AGT-001/inbox/note.md"), "for all\n")
	progress, log := r.read("docs/01_progress.md"), r.read("docs/logs/session_context.md")
	if !strings.Contains(progress, state.Session.ID) || strings.Count(log, "### Delegation Sync") != 1 {
		t.Errorf("progress:\n%s\ncontext:\n%s", progress, log)
	}
	r.endSession(state) // as after a crash
	r.same("progress", r.read("docs/01_progress.md"), progress)
	r.same("context", r.read("docs/logs/session_context.md"), log)
	if view, err := r.p.Store.View(r.ctx); err != nil || len(view.Archived) != 1 || view.Session != nil {
		t.Errorf("registry %+v, %v", view, err)
	}
	if ended, err := r.p.Store.History(r.ctx, state.Session.ID); err != nil || ended.Session.FinalTests != "none" {
		t.Errorf("the session that ended: %+v, %v", ended.Session, err)
	}
}

// Two terminals complete the session that both were shown: both end well, and neither says that something is kept.
func TestCompleteTwiceAtOnce(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("landing: {mode: merge}\n")
	r.works("AGT-001", work())
	r.land("AGT-001")
	closing, done := r.closing(), make(chan error)
	for range 2 {
		go func() {
			e, err := completion.Complete(r.ctx, r.p, closing)
			if err == nil && len(e.Kept) > 0 {
				err = fmt.Errorf("kept %q", e.Kept)
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := r.git("for-each-ref", "refs/delegate", "refs/heads/delegate"); got != "" {
		t.Errorf("references left: %s", got)
	}
	r.same("entries", fmt.Sprint(strings.Count(r.read("docs/logs/session_context.md"), "### Delegation Sync")), "1")
}

// A crash right after the registry's end: the second call finishes the clean-up.
func TestCompleteAfterCrash(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	r.land("AGT-001")
	state := r.state()
	r.cut("remembered", func() error {
		_, err := completion.Complete(r.ctx, r.p, r.closingOf(state))
		return err
	})
	if view, err := r.p.Store.View(r.ctx); err != nil || view.Session != nil {
		t.Fatalf("registry %+v, %v", view, err)
	}
	kept, _, found := journal.CutShort(r.ctx, r.p)
	if !found || kept.Session.ID != state.Session.ID || len(kept.Agents) != len(state.Agents) {
		t.Fatalf("cut short: %v, %+v", found, kept)
	}
	if e := r.endSession(kept); len(e.Removed) != 1 {
		t.Errorf("ending %+v", e)
	}
	if _, err := os.Stat(a.Worktree); err == nil {
		t.Error("the worktree is left")
	}
	if _, _, found := journal.CutShort(r.ctx, r.p); found {
		t.Error("a finished completion is still noted as cut short")
	}
}

// TestCutShortBeforeTheEnd holds that a note alone does not complete a session that the registry then ended otherwise.
func TestCutShortBeforeTheEnd(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", work())
	r.land("AGT-001")
	state := r.state()
	data, err := json.Marshal(map[string]any{"State": state, "Tests": project.Outcome{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.p.Private, "completing.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, found := journal.CutShort(r.ctx, r.p); found {
		t.Error("a session that is still active counts as cut short")
	}
	if _, err := r.p.Store.Update(r.ctx, func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionAborted, registry.Event{})
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, found := journal.CutShort(r.ctx, r.p); found {
		t.Error("an aborted session counts as cut short")
	}
}

func TestCompleteKeepsWorkThatHasNotLanded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		act  func(r *rig, a registry.Agent)
	}{
		{"edited after the landing", func(r *rig, a registry.Agent) {
			r.put(a.Worktree, files{"src/keep.txt": "later\n"})
		}},
		{"new file after the landing", func(r *rig, a registry.Agent) {
			r.put(a.Worktree, files{"src/later.txt": "later\n"})
		}},
		{"committed after the landing", func(r *rig, a registry.Agent) {
			r.put(a.Worktree, files{"src/later.txt": "later\n"})
			r.gitIn(a.Worktree, "add", "-A")
			r.gitIn(a.Worktree, "commit", "-qm", "later")
		}},
		{"committed beside its branch", func(r *rig, a registry.Agent) {
			r.gitIn(a.Worktree, "switch", "-q", "--detach")
			r.put(a.Worktree, files{"src/later.txt": "later\n"})
			r.gitIn(a.Worktree, "add", "-A")
			r.gitIn(a.Worktree, "commit", "-qm", "later")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			a := r.works("AGT-001", work())
			r.land("AGT-001")
			test.act(r, a)
			before := r.tree(a.Worktree, func(string) bool { return false })
			e := r.endSession(r.state())
			if len(e.Removed) != 0 || len(e.Kept) != 1 || !strings.Contains(e.Kept[0], a.Worktree) {
				t.Errorf("ending %+v", e)
			}
			r.same("the worktree", r.tree(a.Worktree, func(string) bool { return false }), before)
			if got := r.git("rev-parse", "refs/heads/"+a.Branch); got == "" {
				t.Error("branch gone")
			}
		})
	}
}

// A landing that is not in the target any more keeps the session from ending as if it were. The
// record can be put right.
func TestLandingLost(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	r.land("AGT-001")
	shown := r.closing()
	r.git("reset", "-q", "--hard", "HEAD^")
	shown.Tip = r.main()
	_, err := completion.Complete(r.ctx, r.p, shown)
	if lost := as[*completion.LostError](t, err); len(lost.Landings) != 1 || lost.Landings[0].Agent != "AGT-001" {
		t.Errorf("%+v", lost)
	}
	_, err = completion.VerifyFinal(r.ctx, r.p, r.state())
	as[*completion.LostError](t, err)
	if c := r.rollBack("AGT-001"); !c.OnlyRecord || len(c.Blocks()) > 0 {
		t.Errorf("%+v", c)
	}
	if now := r.agent("AGT-001"); now.Status != registry.Complete || now.MergeCommit != "" || now.Head != a.Head ||
		r.main() != shown.Tip {
		t.Errorf("%+v", now)
	}
	r.land("AGT-001")
	if found := audit.Disagreements(r.ctx, r.p, r.state()); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if e := r.endSession(r.state()); len(e.Removed) != 1 {
		t.Errorf("%+v", e)
	}
}

// Set back behind the registry's end, before the clean-up: the work stays.
func TestLandingLostBehindTheEnd(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	r.land("AGT-001")
	closing := r.closing()
	r.cut("remembered", func() error {
		_, err := completion.Complete(r.ctx, r.p, closing)
		return err
	})
	r.git("reset", "-q", "--hard", "HEAD^")
	before := r.tree(a.Worktree, func(string) bool { return false })
	e, err := completion.Complete(r.ctx, r.p, closing)
	if err != nil || len(e.Removed)+len(e.Merged) != 0 || len(e.Kept) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	r.same("the worktree", r.tree(a.Worktree, func(string) bool { return false }), before)
	r.git("rev-parse", "refs/heads/"+a.Branch)
}

// Killed between the references and the folders of an agent: the next call takes the folders away.
func TestCompleteTakesFoldersUp(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	a := r.works("AGT-001", work())
	r.put(filepath.Join(r.p.AgentRoot(r.state().Session.ID, a.ID), "home"), files{"left": "x\n"})
	r.land("AGT-001")
	closing := r.closing()
	r.cut("remembered", func() error {
		_, err := completion.Complete(r.ctx, r.p, closing)
		return err
	})
	r.git("worktree", "remove", "--force", a.Worktree)
	r.git("update-ref", "-d", "refs/heads/"+a.Branch)
	if _, err := completion.Complete(r.ctx, r.p, closing); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.p.SessionDir(closing.State.Session.ID)); err == nil {
		t.Error("the session's folder is left")
	}
}

// An earlier attempt's worktree and branch stay, and are named.
func TestCompleteKeepsEarlierAttempt(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	first := r.spawn("AGT-001")
	r.put(first.Worktree, files{"src/first.txt": "first try\n"})
	tip := r.main()
	r.update(func(tx *registry.Tx) error {
		if err := tx.Transition("AGT-001", registry.Event{Kind: registry.EventFailed}, registry.Supervisor,
			nil); err != nil {
			return err
		}
		s := *tx.State().Session
		return tx.Transition("AGT-001", registry.Event{Kind: registry.EventRetried}, registry.Person,
			func(a *registry.Agent) {
				r.place(s, a, tip)
			})
	})
	second := r.agent("AGT-001")
	r.git("worktree", "add", "-q", "--no-track", "-b", second.Branch, second.Worktree, tip)
	r.update(func(tx *registry.Tx) error {
		return tx.Transition("AGT-001", registry.Event{Kind: registry.EventSpawned}, registry.Supervisor,
			func(a *registry.Agent) {
				a.Turns = 2
			})
	})
	r.put(second.Worktree, files{"src/second.txt": "second try\n"})
	r.complete("AGT-001")
	r.land("AGT-001")
	e := r.endSession(r.state())
	if len(e.Removed) != 1 || e.Removed[0] != second.Worktree || len(e.Kept) != 1 ||
		!strings.HasPrefix(e.Kept[0], first.Worktree+" ") {
		t.Errorf("ending %+v", e)
	}
	if data, err := os.ReadFile(filepath.Join(first.Worktree, "src/first.txt")); err != nil ||
		string(data) != "first try\n" {
		t.Errorf("first attempt: %q, %v", data, err)
	}
	r.git("rev-parse", "--verify", "refs/heads/"+first.Branch)
}
