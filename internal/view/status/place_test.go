package status

import (
	"os"
	"strings"
	"testing"
	"time"

	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Of an agent whose engine does not answer nobody knows whether it lives, so a person is sent to the engine.
func TestAnEngineThatDoesNotAnswerIsNamed(t *testing.T) {
	p := &project.Project{Private: t.TempDir()}
	a := registry.Agent{ID: "AGT-001", Name: "first", Status: registry.Running, Turns: 1, On: "hpc",
		Flags: registry.Flags{}.With(registry.FlagStalled.Flag())}
	state := registry.State{Session: &registry.Session{ID: "DEL-20260102-150405"}, Agents: []registry.Agent{a}}
	turn := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}
	if err := os.MkdirAll(turn.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		where      keeper.Where
		text, next string
	}{
		"it answers":      {keeper.Where{On: "hpc"}, "shows no sign of life; it goes on", "delegate interrupt first"},
		"it does not":     {keeper.Where{On: "hpc", Unreached: time.Unix(1, 0)}, "hpc does not answer", "--engine hpc"},
		"it waits for it": {keeper.Where{On: "hpc", Queued: time.Unix(1, 0)}, "shows no sign of life", "first"},
	} {
		if err := turn.KeepWhere(c.where); err != nil {
			t.Fatal(err)
		}
		got, waits := AgentPoint(p, state, a, nil)
		if !waits || got.Kind != StalledPoint || !strings.Contains(got.Text, c.text) ||
			!strings.Contains(got.Next, c.next) {
			t.Errorf("%s: %q, next %q", name, got.Text, got.Next)
		}
	}
}
