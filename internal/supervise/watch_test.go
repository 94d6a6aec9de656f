package supervise

import (
	"os"
	"strings"
	"testing"
	"time"

	"delegate/checkpoint"
	"delegate/internal/config"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/transcript"
	"delegate/registry"
)

// TestSecondCompletionIsLate holds that the first completion of a turn counts and the second is LATE,
// also for a supervisor that took over between the two, and for a write that had to be tried again.
func TestSecondCompletionIsLate(t *testing.T) {
	block := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.Complete, Request: checkpoint.Merge,
		Progress: -1}.String()
	for skip, want := range []string{"CHECKPOINT LATE", "LATE", ""} {
		turn := keeper.Turn{Dir: t.TempDir()}
		if err := os.WriteFile(turn.Output(), []byte("working\n"+block+"more\n"+block), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &supervisor{p: &project.Project{Now: time.Now, Config: config.Default()}, mono: transcript.Steady(),
			watches: map[string]*watch{}, state: registry.State{Session: &registry.Session{}}}
		w := s.watchOf(registry.Agent{ID: "AGT-001", Turns: 1, Blocks: registry.Recorded{Turn: 1, Count: skip}}, turn)
		if err := w.finish(); err != nil {
			t.Fatal(err)
		}
		items := w.take()
		for try := range 2 {
			var kinds []string
			for _, item := range items {
				e, _ := w.event("AGT-001", item)
				kinds = append(kinds, string(e.Kind))
			}
			if got := strings.Join(kinds, " "); got != want {
				t.Errorf("%d recorded before, try %d: %q, want %q", skip, try, got, want)
			}
		}
		if w.last == nil || w.lastAt.IsZero() {
			t.Error("the last valid block is not known")
		}
	}
}
