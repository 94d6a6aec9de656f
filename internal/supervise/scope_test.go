//go:build linux

package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// waitsForReview records a session of one agent that is said to have worked, without a supervisor or a worktree.
func (d *delegation) waitsForReview(head string) {
	d.Helper()
	d.record(1)
	_, err := d.Store.Update(context.Background(), func(tx *registry.Tx) error {
		for _, kind := range []registry.Kind{registry.EventSpawning, registry.EventSpawned, registry.EventCheckpoint} {
			if err := tx.Transition("AGT-001", registry.Event{Kind: kind, Agent: "AGT-001", By: session.BySupervisor},
				registry.Supervisor, nil); err != nil {
				return err
			}
		}
		return tx.Edit("AGT-001", func(a *registry.Agent) {
			a.Base, a.Head, a.Worktree, a.Attempt = head, head, "/nowhere", 1
		})
	})
	if err != nil {
		d.Fatal(err)
	}
}

// TestScopeKeepsTheHead holds that a scope that is widened while a verdict is written leaves the verdict's head,
// and what another one allowed meanwhile.
func TestScopeKeepsTheHead(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "true", "")
	ctx := context.Background()
	first := d.commits("one", map[string]string{"shared.md": "one\n"})
	next := d.commits("two", map[string]string{"shared.md": "two\n"})
	d.waitsForReview(first)
	other, err := project.Open(ctx, d.Main, project.Options{}) // as another process writes the verdict
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	begun := false
	_, err = other.Store.Update(ctx, func(tx *registry.Tx) error {
		if !begun { // this is run again if somebody saved the file
			begun = true
			go func() {
				_, _, err := d.ChangeScope(ctx, "AGT-001", control.ScopeChange{Allow: []string{"more/**"}})
				done <- err
			}()
			d.until("the wait for the registry", func() bool { return d.waiters() > 1 })
		}
		return tx.Edit("AGT-001", func(a *registry.Agent) {
			a.Head, a.Allowed = next, append(a.Allowed, "others/**")
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if a := d.agent("AGT-001"); a.Head != next || !slices.Contains(a.Allowed, "others/**") ||
		!slices.Contains(a.Allowed, "more/**") {
		t.Errorf("head %.7s, want %.7s; allowed %q", a.Head, next, a.Allowed)
	}
}

// waiters counts the descriptors of this process for the registry's lock: one for its holder and one for whoever waits.
func (d *delegation) waiters() int {
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		d.Fatal(err)
	}
	n := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, d.Private) &&
			filepath.Base(to) == "registry.lock" {
			n++
		}
	}
	return n
}

// TestDropAfterAMerge holds that dropping a change gives a file back as the work found it, with
// what came from the target since the agent began, so that the breach is mended and a landing takes
// no line of the target away.
func TestDropAfterAMerge(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
while [ ! -e $ROOT/go ]; do sleep 0.05; done
git merge -q main || exit 9
echo agent >> shared.md
echo w > w.txt
git add -A && git commit -qm work
block COMPLETE MERGE
`, withoutFence)
	ctx := context.Background()
	d.commits("one", map[string]string{"shared.md": "one\n"})
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	tip := d.commits("two", map[string]string{"shared.md": "one\ntwo\n"})
	d.touch("go")
	d.reaches("AGT-001", registry.Complete)
	a, _, err := d.ChangeScope(ctx, "AGT-001", control.ScopeChange{Drop: []string{"shared.md"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Work(ctx, d.state().Session.ID, a, tip)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(filepath.Join(a.Worktree, "shared.md"))
	if len(w.Breaches) > 0 || string(data) != "one\ntwo\n" {
		t.Errorf("breaches %v, shared.md is %q", w.Breaches, data)
	}
	if now := d.agent("AGT-001"); now.Head != w.Head {
		t.Errorf("head %.7s, want %.7s", now.Head, w.Head)
	}
}

// TestDropNothing holds that what an agent did not change is not said to be taken back, and that nothing of an ended
// agent changes.
func TestDropNothing(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "mkdir w; echo w > w/w.txt; block COMPLETE MERGE", "")
	ctx := context.Background()
	d.begin(1)
	before := d.reaches("AGT-001", registry.Complete)
	for _, drop := range []string{"no/such/path", "agent.sh", "w/w.txt2"} {
		_, _, err := d.ChangeScope(ctx, "AGT-001", control.ScopeChange{Drop: []string{drop}})
		if nothing := (*control.NothingToDropError)(nil); !errors.As(err, &nothing) {
			t.Errorf("%s was dropped: %v", drop, err)
		}
	}
	if a := d.agent("AGT-001"); a.Head != before.Head || len(d.events("AGT-001", registry.EventScopeChanged)) > 0 {
		t.Error("something was taken back")
	}
	if a, _, err := d.ChangeScope(ctx, "AGT-001", control.ScopeChange{Drop: []string{"w"}}); err != nil ||
		a.Head == before.Head {
		t.Errorf("a folder with changes: %v", err)
	}
	if _, err := d.Abort(ctx, "AGT-001", ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.ChangeScope(ctx, "AGT-001", control.ScopeChange{Allow: []string{"x"}}); err == nil {
		t.Error("the scope of an aborted agent was changed")
	}
}

// TestBreachesAreSeenWithTheEnd holds that whoever sees the end of a turn sees what it changed outside of its scope,
// and that each breach has one row wherever the supervisor ended.
func TestBreachesAreSeenWithTheEnd(t *testing.T) {
	t.Parallel()
	for _, step := range []string{stepOutside, stepJudged} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			d := newDelegation(t, "echo x >> shared.md; git add -A; git commit -qm work; block COMPLETE MERGE",
				withoutFence)
			d.record(1)
			d.crashAt(step)
			_, _ = Launch(context.Background(), d.Project) // it may be dead before anybody sees it
			d.crashed()
			a := d.agent("AGT-001")
			if ended := a.Status == registry.Complete; ended != (step == stepJudged) {
				t.Errorf("%s at %q", a.Status, step)
			}
			open, err := session.ReadBreaches(d.Project, d.state().Session.ID, a)
			if _, seen := open["shared.md"]; !seen || err != nil {
				t.Errorf("open breaches %v, %v", open, err)
			}
			d.launch()
			d.reaches("AGT-001", registry.Complete)
			if rows := d.events("AGT-001", registry.EventViolation); len(rows) != 1 {
				t.Errorf("rows %q", rows)
			}
		})
	}
}
