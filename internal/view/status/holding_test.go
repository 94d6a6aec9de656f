package status

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// Two agents whose work clashes are both ready until one is merged. Then the other has to adapt, without another look;
// and once it has newer work, nothing is known of that before it was compared.
func TestHolding(t *testing.T) {
	p := &project.Project{Private: t.TempDir()}
	rena := registry.Agent{ID: "AGT-001", Name: "rena", Status: registry.Complete, Turns: 1, Head: "r1"}
	call := registry.Agent{ID: "AGT-002", Name: "call", Status: registry.Complete, Turns: 1, Head: "c1"}
	state := func() registry.State {
		return registry.State{Session: &registry.Session{ID: "DEL-20260102-150405", Target: "main"},
			Agents: []registry.Agent{rena, call}}
	}
	says := func(when, ofRena, ofCall string) {
		t.Helper()
		holding := Holding(p, state())
		for a, want := range map[string]string{"AGT-001": ofRena, "AGT-002": ofCall} {
			agent, _ := state().Agent(a)
			point, _ := AgentPoint(p, state(), agent, holding)
			if got := strings.TrimSpace(point.Text + " → " + point.Next); want != "" && got != want {
				t.Errorf("%s: %s is told %q, want %q", when, a, got, want)
			}
			if ready := IsReady(agent, holding); ready != strings.Contains(want, "is ready") {
				t.Errorf("%s: %s ready: %t", when, a, ready)
			}
		}
	}
	says("before a look", "is ready to merge; not compared yet → delegate sync merge rena",
		"is ready to merge; not compared yet → delegate sync merge call")
	id := state().Session.ID
	err := session.ChangeConflicts(context.Background(), p, id, func(open map[string]session.OpenConflict) error {
		open["AGT-001 × AGT-002 API_CONFLICT"] = session.OpenConflict{Agent: "AGT-001", Text: "gone.",
			Blocks: [2]string{"AGT-001", "AGT-002"}}
		return nil
	})
	if err == nil {
		err = session.Compared{"AGT-001": "r1", "AGT-002": "c1"}.Keep(p, id)
	}
	if err != nil {
		t.Fatal(err)
	}
	says("compared", "is ready to merge → delegate sync merge rena", "is ready to merge → delegate sync merge call")
	call.Head = "c2"
	says("call has newer work", "is ready to merge → delegate sync merge rena",
		"is ready to merge; not compared yet → delegate sync merge call")
	rena.Status, call.Head = registry.Merged, "c1"
	says("rena is merged", "", "conflicts with main and has to be adapted to it → delegate adapt call")
	call.Head = "c2"
	says("call was adapted", "", "is ready to merge; not compared yet → delegate sync merge call")
	rena.Status, call.Head = registry.Aborted, "c1"
	says("rena is given up", "", "is ready to merge → delegate sync merge call")
	rena.Status, call.Head = registry.Complete, "c2"
	alive, err := run.Identify(os.Getpid())
	var note []byte
	if err == nil {
		note, err = json.Marshal(session.Supervisor{Identity: alive})
	}
	if err == nil {
		err = os.WriteFile(session.SupervisorFile(p), note, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	says("a supervisor lives", "is ready to merge → delegate sync merge rena",
		"is ready to merge; being compared now → delegate sync merge call")
}

// Work that lacks files of its worktree is nowhere called ready, as its landing refuses it.
func TestUnsaved(t *testing.T) {
	p := &project.Project{Private: t.TempDir()}
	ag := registry.Agent{ID: "AGT-001", Name: "rena", Status: registry.Complete, Turns: 1, Head: "r1", Worktree: "/w",
		Flags: registry.Flags{{Kind: registry.FlagSnapshotIncomplete, Text: "no commit"}, registry.FlagForced.Flag()}}
	state := registry.State{Session: &registry.Session{ID: "DEL-20260102-150405", Target: "main"},
		Agents: []registry.Agent{ag}}
	point, _ := AgentPoint(p, state, ag, Holding(p, state))
	want := "is done, and cannot be merged: some of its files could not be saved: no commit (marked done by a person)"
	if point.Text != want || !strings.HasPrefix(point.Next, "look at it in /w, then delegate sync merge rena | ") {
		t.Errorf("it is told %q → %q", point.Text, point.Next)
	}
	if IsReady(ag, Holding(p, state)) || Peek(p, state, ag).Word() != "not saved" {
		t.Errorf("ready: %t, in the list: %s", IsReady(ag, Holding(p, state)), Peek(p, state, ag).Word())
	}
}
