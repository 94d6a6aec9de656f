package transcript

import (
	"os"
	"strings"
	"testing"
	"time"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/dialect"
	"delegate/registry"
)

// TestSecondCompletionIsLate holds that the first completion of a turn counts and the second is LATE,
// also for a supervisor that took over between the two, and for a write that had to be tried again.
func TestSecondCompletionIsLate(t *testing.T) {
	block := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.Complete, Request: checkpoint.Merge,
		Progress: -1}.String()
	for skip, want := range []string{"CHECKPOINT LATE", "LATE", ""} {
		p := &project.Project{Now: time.Now, Config: config.Default(), Private: t.TempDir()}
		r := Open(p, registry.Session{ID: "s"}, registry.Agent{ID: "AGT-001", Turns: 1,
			Blocks: registry.Recorded{Turn: 1, Count: skip}}, Steady())
		if err := os.MkdirAll(r.Turn.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.Turn.Output(), []byte("working\n"+block+"more\n"+block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		for try := range 2 {
			var kinds []string
			for _, i := range r.found {
				e, _ := r.event(i)
				kinds = append(kinds, string(e.Kind))
			}
			if got := strings.Join(kinds, " "); got != want {
				t.Errorf("%d recorded before, try %d: %q, want %q", skip, try, got, want)
			}
		}
		if r.Last == nil || r.LastAt.IsZero() {
			t.Error("the last valid block is not known")
		}
	}
}

// TestProgramRefusals holds that what a program itself refuses is recorded while the turn runs and counts for its
// limit, once also for a supervisor that takes over, and that a loop of refusals is no endless record.
func TestProgramRefusals(t *testing.T) {
	const refused = `{"type":"tool_use","part":{"tool":"bash","state":{"error":"permission denied"}}}` + "\n"
	block := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.InProgress, Request: checkpoint.Continue,
		Progress: -1}.String()
	said := event(t, map[string]any{"type": "text", "part": map[string]string{"text": block}})
	old := printed(t, dialect.EventLines)
	if err := os.WriteFile(old.Turn.Output(), []byte(refused+said+refused+said+refused), 0o600); err != nil {
		t.Fatal(err)
	}
	for skip, want := range []string{"VIOLATION CHECKPOINT VIOLATION CHECKPOINT VIOLATION",
		"CHECKPOINT VIOLATION CHECKPOINT VIOLATION", "VIOLATION CHECKPOINT VIOLATION", "CHECKPOINT VIOLATION"} {
		a := registry.Agent{ID: "AGT-001", Turns: 1, Blocks: registry.Recorded{Turn: 1, Count: skip}}
		r := Open(old.p, registry.Session{ID: "s"}, a, Steady())
		if err := r.Read(); err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, i := range r.found {
			e, edit := r.event(i)
			edit(&a)
			kinds = append(kinds, string(e.Kind))
		}
		if got := strings.Join(kinds, " "); got != want || a.LimitCount() != strings.Count(want, "VIOLATION") {
			t.Errorf("%d recorded before: %q, %d of the limit; want %q", skip, got, a.LimitCount(), want)
		}
	}
	if err := os.WriteFile(old.Turn.Output(), []byte(strings.Repeat(refused, 10*mostRefusals)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Open(old.p, registry.Session{ID: "s"}, registry.Agent{ID: "AGT-001", Turns: 1}, Steady())
	if err := r.Finish(); err != nil || len(r.found) != mostRefusals {
		t.Errorf("%d rows, %v; want %d", len(r.found), err, mostRefusals)
	}
}
