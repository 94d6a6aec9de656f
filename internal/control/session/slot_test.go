package session_test

import (
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/project/config"
	"delegate/registry"
)

// TestRoom holds that agents of one engine take the room of each other alone.
func TestRoom(t *testing.T) {
	c := config.Config{Engines: map[string]config.Engine{"hpc": {Most: config.SetCount(1)}, "cluster": {}}}
	of := func(id, on string, status registry.Status) registry.Agent {
		return registry.Agent{ID: id, On: on, Status: status}
	}
	state := registry.State{Agents: []registry.Agent{of("AGT-001", "hpc", registry.Running),
		of("AGT-002", "cluster", registry.Running), of("AGT-003", "", registry.Running),
		of("AGT-004", "hpc", registry.Checkpoint)}}
	for on, want := range map[string]bool{"hpc": false, "cluster": true, "": true} {
		if got := session.HasRoom(c, state, of("AGT-005", on, registry.Pending)); got != want {
			t.Errorf("on %q: %v", on, got)
		}
	}
	if !session.HasRoom(c, state, state.Agents[0]) {
		t.Error("it takes its own room")
	}
}

// TestSlots holds that an agent which waits for its provider takes a slot from those of its own profile alone, and
// needs a free one when it goes on.
func TestSlots(t *testing.T) {
	waiting := registry.Flags{{Kind: registry.FlagRateLimited, Text: "2026-01-02T15:04:05Z"}}
	of := func(id, profile string, status registry.Status, flags registry.Flags) registry.Agent {
		return registry.Agent{ID: id, Profile: profile, Status: status, Flags: flags}
	}
	limited := of("AGT-001", "codex", registry.Running, waiting)
	same, other := of("AGT-003", "codex", registry.Pending, nil), of("AGT-004", "claude", registry.Pending, nil)
	state := registry.State{Session: &registry.Session{MaxParallel: 2}, Agents: []registry.Agent{limited,
		of("AGT-002", "claude", registry.Running, nil), same, other}}
	if session.HasSlot(state, same) || !session.HasSlot(state, other) || !session.HasSlot(state, limited) {
		t.Errorf("one waits: same %v, other %v, itself %v", session.HasSlot(state, same), session.HasSlot(state, other),
			session.HasSlot(state, limited))
	}
	state.Agents[3].Status = registry.Running
	if session.HasSlot(state, limited) {
		t.Error("it goes on beside as many as may work")
	}
}
