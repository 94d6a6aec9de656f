package project_test

import (
	"fmt"
	"strings"
	"testing"

	"delegate/internal/project"
	"delegate/registry"
)

// delegated is a repository in which sessions are recorded, and git moves the record about.
type delegated struct {
	*box
	p *project.Project
}

func newDelegated(t *testing.T) delegated {
	b := newBox(t, map[string]string{"f": "1\n"})
	return delegated{b, b.project()}
}

func (d delegated) do(fn func(*registry.Tx) error) registry.State {
	d.Helper()
	state, err := d.p.Store.Update(d.Context(), fn)
	if err != nil {
		d.Fatal(err)
	}
	return state
}

func (d delegated) begin(task string) string {
	d.Helper()
	return d.do(func(tx *registry.Tx) error {
		return tx.StartSession(registry.Session{ParentTask: task}, []registry.Agent{{Subtask: "One"}})
	}).Session.ID
}

func (d delegated) note(text string) registry.State {
	d.Helper()
	return d.do(func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001", Details: text}, nil)
	})
}

func (d delegated) end() {
	d.Helper()
	d.do(func(tx *registry.Tx) error { return tx.EndSession(registry.SessionAborted, registry.Event{}) })
}

// look is what a reading command sees. It writes nothing.
func (d delegated) look() registry.State {
	d.Helper()
	before := d.Git("status", "--porcelain", "--untracked-files=all")
	state, err := d.p.Store.View(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	if after := d.Git("status", "--porcelain", "--untracked-files=all"); after != before {
		d.Errorf("looking changed %q to %q", before, after)
	}
	return state
}

// sees checks the active session, how many ended, and what messages were recorded.
func (d delegated) sees(active string, ended int, messages string) {
	d.Helper()
	state, id, found := d.look(), "", []string{}
	if state.Session != nil {
		id = state.Session.ID
	}
	for _, e := range state.Events {
		if e.Kind == registry.EventMessage {
			found = append(found, e.Details)
		}
	}
	if got := strings.Join(found, " "); id != active || len(state.Archived) != ended || got != messages {
		d.Errorf("session %q, %d ended, messages %q; want %q, %d, %q; notices %q", id, len(state.Archived), got,
			active, ended, messages, state.Notices)
	}
}

func (d delegated) record() string { return d.Text(project.RegistryPath) }

// The record is committed on two branches, and no session is active: each branch has its own.
func TestSwitchWithoutSession(t *testing.T) {
	d := newDelegated(t)
	d.begin("first")
	d.end()
	d.Commit("first session")
	d.Git("switch", "-q", "-c", "topic")
	second := d.begin("second")
	d.end()
	d.Commit("second session")
	d.Git("switch", "-q", "main")
	d.sees("", 1, "")
	d.Git("switch", "-q", "topic")
	d.sees("", 2, "")
	d.Git("switch", "-q", "main")
	third := d.begin("third")
	d.sees(third, 1, "")
	d.end()
	if strings.Contains(d.record(), second) {
		t.Errorf("main has the session of topic:\n%s", d.record())
	}
	d.Commit("third session")
	d.Git("switch", "-q", "topic")
	d.sees("", 2, "")
	d.Git("switch", "-q", "--orphan", "bare")
	d.sees("", 0, "")
	d.begin("fourth")
	d.end()
	d.Commit("fourth session")
	d.Git("switch", "-q", "main")
	d.sees("", 2, "")
}

// A session is active and its record is committed: looking from another branch is in nobody's way.
func TestSwitchWithSession(t *testing.T) {
	for _, there := range []string{"an earlier record", "none"} {
		t.Run(there, func(t *testing.T) {
			d := newDelegated(t)
			if there != "none" {
				d.begin("first")
				d.end()
				d.Commit("first session")
			}
			d.Git("switch", "-q", "-c", "topic")
			id := d.begin("second")
			d.note("one")
			d.Commit("the record")
			ended := len(d.look().Archived)
			d.Git("switch", "-q", "main")
			d.sees(id, ended, "one")
			if notices := d.look().Notices; len(notices) != 1 || !strings.Contains(notices[0], "read instead") {
				t.Errorf("notices %q", notices)
			}
			d.Git("switch", "-q", "topic")
			d.sees(id, ended, "one")
			if notices := d.look().Notices; len(notices) > 0 {
				t.Errorf("notices %q", notices)
			}
			d.Git("switch", "-q", "main")
			if notices := d.note("two").Notices; len(notices) != 1 || !strings.Contains(notices[0], "is restored") {
				t.Errorf("notices %q", notices)
			}
			d.sees(id, ended, "one two")
			if !strings.Contains(d.record(), "| two |") {
				t.Error("a command that writes did not put the record back")
			}
		})
	}
}

// What a stash holds comes back without a conflict, and what was recorded meanwhile joins it.
func TestStash(t *testing.T) {
	for name, c := range map[string]struct{ committed, tracked bool }{
		"untracked": {}, "tracked and changed": {true, true}, "untracked beside a commit": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDelegated(t)
			if c.committed {
				d.begin("first")
				d.end()
				if c.tracked {
					d.Commit("first session")
				}
			}
			ended := len(d.look().Archived)
			id := d.begin("second")
			d.note("one")
			d.Write(map[string]string{project.RegistryPath: strings.Replace(d.record(), "### Pending Merges",
				"A person's line.\n\n### Pending Merges", 1)})
			d.Git("stash", "-u")
			d.sees(id, ended, "one")
			for i := range 40 { // more than the versions that are kept
				d.note(fmt.Sprint(i))
			}
			state := d.look()
			if !state.Stashed || len(state.Notices) != 1 || !strings.Contains(state.Notices[0], "stash") {
				t.Errorf("stashed %v, notices %q", state.Stashed, state.Notices)
			}
			d.Git("stash", "pop", "-q")
			state = d.note("last")
			if len(state.Events) != 43 || state.Stashed || !strings.Contains(d.record(), "A person's line.") ||
				!strings.Contains(d.record(), "| last |") {
				t.Errorf("%d events, notices %q, record\n%s", len(state.Events), state.Notices, d.record())
			}
		})
	}
}

// A session ends, or begins, while a stash holds the record.
func TestStashOverAnEnd(t *testing.T) {
	d := newDelegated(t)
	first := d.begin("first")
	d.note("one")
	d.Git("stash", "-u")
	for i := range 230 { // rows move to the archive
		d.note(fmt.Sprint(i))
	}
	d.end()
	d.sees("", 1, "")
	second := d.begin("second")
	d.sees(second, 1, "")
	d.Git("stash", "pop", "-q")
	d.sees(second, 1, "")
	d.note("two")
	d.sees(second, 1, "two")
	d.end()
	d.Git("stash", "-u")
	d.sees("", 2, "")
	third := d.begin("third")
	d.Git("stash", "pop", "-q")
	d.note("three")
	d.sees(third, 2, "three")
	for _, id := range []string{first, second} {
		if !strings.Contains(d.record(), id) || !strings.Contains(d.Text("docs/logs/archive/"+id+".md"), id) {
			t.Errorf("no %s in the record\n%s", id, d.record())
		}
	}
	if history, err := d.p.Store.History(d.Context(), first); err != nil || len(history.Events) != 233 {
		t.Errorf("%d events of %s, %v", len(history.Events), first, err)
	}
}

// A dropped stash, a removed folder: what only the private folder has comes back with the next write.
func TestOnlyPrivateCopies(t *testing.T) {
	for name, lose := range map[string]func(d delegated){
		"dropped": func(d delegated) { d.Git("stash", "-u"); d.note("two"); d.Git("stash", "drop", "-q") },
		"cleaned": func(d delegated) { d.note("two"); d.Git("clean", "-fdq") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDelegated(t)
			id := d.begin("first")
			lose(d)
			d.sees(id, 0, "two")
			d.note("three")
			d.sees(id, 0, "two three")
			if !strings.Contains(d.record(), "| three |") {
				t.Error("the record is not put back")
			}
			d.end()
			d.Git("clean", "-fdq")
			next := d.begin("second")
			d.sees(next, 1, "")
			if !strings.Contains(d.Text("docs/logs/archive/"+id+".md"), "| three |") {
				t.Error("the archive is not put back")
			}
		})
	}
}

// A session that ended does not become active again where an older commit says that it is.
func TestCheckoutOfARunningSession(t *testing.T) {
	d := newDelegated(t)
	d.begin("first")
	d.Commit("while it runs")
	d.end()
	d.Commit("when it ended")
	d.Git("switch", "-q", "--detach", "HEAD~1")
	d.sees("", 1, "")
	d.Git("switch", "-q", "main")
	d.sees("", 1, "")
}
