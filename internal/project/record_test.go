package project_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/record"
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

// mergeRole is the first argument with which the test binary is git's merge driver of the record.
const mergeRole = "merge-record"

// twoBranches has a session on each of two branches, and one before them.
func twoBranches(t *testing.T) (d delegated, ids []string) {
	d = newDelegated(t)
	session := func(task string) {
		ids = append(ids, d.begin(task))
		d.note(task)
		d.end()
		d.Commit(task)
	}
	session("before")
	d.Git("switch", "-q", "-c", "topic")
	session("topic")
	d.Git("switch", "-q", "main")
	session("main")
	return d, ids
}

// addedLater checks that the record of main has all sessions and the sums of what both branches counted.
func (d delegated) addedLater(ids []string) {
	d.Helper()
	d.sees("", len(ids), "")
	for _, id := range ids {
		if strings.Count(d.record(), "["+id+"]") != 1 {
			d.Errorf("no %s in\n%s", id, d.record())
		}
		if history, err := d.p.Store.History(d.Context(), id); err != nil || len(history.Agents) != 1 {
			d.Errorf("history of %s: %+v, %v", id, history, err)
		}
	}
	if stats := d.look().Stats; stats.Sessions != len(ids) || stats.Agents != len(ids) {
		d.Errorf("statistics %+v", stats)
	}
	next := d.begin("next")
	d.sees(next, len(ids), "")
}

func TestMergeDriver(t *testing.T) {
	for name, join := range map[string]func(d delegated){
		"merge":       func(d delegated) { d.Git("merge", "-q", "--no-edit", "topic") },
		"rebase":      func(d delegated) { d.Git("rebase", "-q", "topic") },
		"cherry-pick": func(d delegated) { d.Git("cherry-pick", "topic") },
	} {
		t.Run(name, func(t *testing.T) {
			d, ids := twoBranches(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			d.Git("config", "merge."+project.MergeDriver+".driver", "'"+self+"' "+mergeRole+" %O %A %B")
			d.Write(map[string]string{".git/info/attributes": project.MergeAttributes()})
			join(d)
			d.addedLater(ids)
		})
	}
}

// A session is active on one branch, and another one ended on the other.
func TestMergeDriverWithSession(t *testing.T) {
	for _, from := range []string{"main", "topic"} {
		t.Run("into "+from, func(t *testing.T) {
			d, ids := twoBranches(t)
			id := d.begin("active")
			d.note("one")
			d.Commit("active on main")
			base, ours, theirs := d.stages("main", "topic")
			if from == "topic" {
				ours, theirs = theirs, ours
			}
			merged, err := record.Conflict{Base: base, Ours: ours, Theirs: theirs}.Registry()
			if err != nil {
				t.Fatal(err)
			}
			doc, err := registry.Parse(merged)
			if err != nil {
				t.Fatal(err)
			}
			state := doc.State()
			if state.Session == nil || state.Session.ID != id || len(state.Events) != 2 || len(state.Archived) != 3 ||
				state.Stats.Sessions != 4 {
				t.Errorf("merged, of %q:\n%s", ids, merged)
			}
		})
	}
}

// Two sessions are active: nobody but a person knows which one goes on.
func TestMergeDriverRefuses(t *testing.T) {
	d := newDelegated(t)
	d.begin("one")
	ours := []byte(d.record())
	theirs := []byte(strings.ReplaceAll(d.record(), d.look().Session.ID, "DEL-20200101-000000"))
	_, err := record.Conflict{Ours: ours, Theirs: theirs}.Registry()
	var two *registry.TwoSessionsError
	if !errors.As(err, &two) {
		t.Errorf("error %v", err)
	}
	d.Write(map[string]string{"base": "", "ours": string(ours), "theirs": string(theirs)})
	path := func(name string) string { return filepath.Join(d.Dir, name) }
	if err := record.MergeFiles(path("base"), path("ours"), path("theirs")); !errors.As(err, &two) {
		t.Errorf("error %v", err)
	}
	_, err = registry.Parse([]byte(d.Text("ours")))
	if err == nil || !strings.Contains(d.Text("ours"), string(theirs)) {
		t.Errorf("a version is lost:\n%s", d.Text("ours"))
	}
}

// stages are the versions of the record that a merge of two branches would be given.
func (d delegated) stages(ours, theirs string) (base, a, b []byte) {
	d.Helper()
	at := func(revision string) []byte { return []byte(d.Git("show", revision+":"+project.RegistryPath) + "\n") }
	return at(d.Git("merge-base", ours, theirs)), at(ours), at(theirs)
}

// Without a driver git stops with a conflict, and the three versions are still in its index.
func TestConflictOfTheRecord(t *testing.T) {
	d, ids := twoBranches(t)
	if out, err := d.Try("merge", "topic"); err == nil {
		t.Fatalf("git had no conflict: %s", out)
	}
	_, err := d.p.Store.View(d.Context())
	var faults *registry.SyntaxError
	if !errors.As(err, &faults) || !faults.Conflicted() {
		t.Errorf("error %v", err)
	}
	base, ours, theirs, found, err := d.p.Tracked(project.RegistryPath).Stages(t.Context())
	if err != nil || !found {
		t.Fatalf("stages: %v, %v", found, err)
	}
	if _, err := d.p.Store.Resolve(t.Context(), record.Conflict{Base: base, Ours: ours, Theirs: theirs}); err != nil {
		t.Fatal(err)
	}
	d.addedLater(ids)
}

// The form that people know from elsewhere leaves a session that ended as the active one: the next start archives it.
func TestEndedByHand(t *testing.T) {
	d := newDelegated(t)
	const id = "DEL-20250102-150405"
	d.Write(map[string]string{project.RegistryPath: "# Delegation Registry\n\n## Active Session\n\n" +
		"**Session ID**: " + id + "\n**Parent Task**: By hand\n**Status**: COMPLETE\n\n" +
		"### Agents\n\n#### AGT-001\n- **Subtask**: One\n" +
		"- **Status**: MERGED\n- **Branch**: x\n\nOur words.\n\n## Archived Sessions\n"})
	d.sees("", 1, "")
	if state, err := d.p.Store.History(t.Context(), id); err != nil || len(state.Agents) != 1 {
		t.Errorf("history before: %+v, %v", state, err)
	}
	next := d.begin("next")
	d.sees(next, 1, "")
	state, err := d.p.Store.History(t.Context(), id)
	if err != nil || len(state.Agents) != 1 || state.Agents[0].Status != registry.Merged ||
		!strings.Contains(d.Text("docs/logs/archive/"+id+".md"), "Our words.") {
		t.Errorf("history: %+v, %v", state, err)
	}
}

// A record that ends too early is told for what it is.
func TestCutOff(t *testing.T) {
	d := newDelegated(t)
	id := d.begin("first")
	d.note("one")
	d.Write(map[string]string{project.RegistryPath: d.record()[:strings.Index(d.record(), "### Pending Merges")]})
	d.sees(id, 0, "one")
	if notices := d.look().Notices; len(notices) != 1 || !strings.Contains(notices[0], "was cut off") {
		t.Errorf("notices %q", notices)
	}
}

// A private record leaves nothing in the tree, and a change of the key takes a session along.
func TestPrivateRecord(t *testing.T) {
	d := newDelegated(t)
	first := d.begin("first")
	d.Write(map[string]string{config.FileName: "record: private\n"})
	d.p = d.project()
	d.sees(first, 0, "")
	d.note("one")
	d.Remove("docs")
	d.end()
	second := d.begin("second")
	d.Git("clean", "-fdq", "--exclude="+config.FileName)
	d.sees(second, 1, "")
	if notices := d.look().Notices; len(notices) > 0 {
		t.Errorf("notices %q", notices)
	}
	if got := d.Git("status", "--porcelain"); got != "?? "+config.FileName {
		t.Errorf("in the tree: %q", got)
	}
	if path := d.p.RecordPath("x"); path != ".git/delegate/record/x" {
		t.Errorf("path %q", path)
	}
}
