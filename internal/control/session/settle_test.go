package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// TestStopTurns holds that a turn which cannot be stopped does not keep the others running, and that the last one,
// which can be at work, is stopped first.
func TestStopTurns(t *testing.T) {
	p := &project.Project{Private: t.TempDir()}
	a := registry.Agent{ID: "AGT-001", Turns: 2}
	for n := 1; n <= 2; n++ {
		folder := p.TurnDir("s", a.ID, n)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "keeper.json"), []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := session.StopTurns(p, "s", a)
	if err == nil {
		t.Fatal("both are said to be stopped")
	}
	if last, _, found := strings.Cut(err.Error(), "turn-1"); !found || !strings.Contains(last, "turn-2") {
		t.Errorf("only one was tried, or the first one first: %v", err)
	}
}
