package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
)

// TestNotesOfATurnAreReplaced holds that what the supervisor notes of a running turn is never cut off in its file, as
// on a full disk: the time that it worked would be the time since it began, and what it used up nothing.
func TestNotesOfATurnAreReplaced(t *testing.T) {
	turn, now := keeper.Turn{Dir: t.TempDir()}, time.Now()
	at := time.Duration(0)
	w := NewStopwatch(func() time.Duration { return at }, time.Minute)
	r := &Reader{Turn: turn, events: &events{}, p: &project.Project{Config: config.Default(), Now: time.Now}}
	r.events.usage.Input = 1
	for name, note := range map[string]func(){
		"clock.json": func() { at += time.Hour; w.Rest(turn, now.Add(at)) },
		usedFile:     func() { r.events.usage.Input++; r.NoteUsage(agentdir.Dir(turn.Dir)) },
	} {
		note()
		path := filepath.Join(turn.Dir, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		note()
		if old, err := os.ReadFile(path + ".old"); err != nil || string(old) != string(before) {
			t.Errorf("%s is written in place: %q, %v", name, old, err)
		}
		if now, err := os.ReadFile(path); err != nil || !json.Valid(now) {
			t.Errorf("%s: %q, %v", name, now, err)
		}
	}
	if got := Worked(turn, now.Add(at)); got != time.Minute {
		t.Errorf("it waited and worked %s", got)
	}
}
