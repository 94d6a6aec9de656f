package status

import (
	"testing"
	"time"

	"delegate/registry"
)

// TestWait holds what an agent's flags say of what its program waits for.
func TestWait(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	of := func(flags ...registry.Flag) *WaitView { return waitOf(registry.Agent{Flags: flags}) }
	if w := of(registry.FlagNudged.Flag()); w != nil {
		t.Errorf("it waits for nothing: %+v", w)
	}
	if w := of(registry.FlagNudged.Flag(), AgainAt(at, 2, 3)); w == nil || w.For != "network" || w.Since != nil ||
		!w.Until.Equal(at) || w.Try != 2 || w.Of != 3 {
		t.Errorf("a fault of the network: %+v", w)
	}
	if w := of(AgainSince(at)); w == nil || w.For != "network" || w.Until != nil || !w.Since.Equal(at) || w.Of != 0 {
		t.Errorf("it tries again by itself: %+v", w)
	}
	if w := of(registry.ParseFlag("network fault, tries again at 2026-01-02T15:04:05Z (2 of 3)"),
		registry.FlagNudged.Flag()); w == nil || !w.Until.Equal(at) || w.Try != 2 {
		t.Errorf("a fault of the network, as the registry has it: %+v", w)
	}
	if w := of(registry.ParseFlag("rate limited until 2026-01-02T15:04:05Z")); w == nil || w.For != "provider" ||
		!w.Until.Equal(at) {
		t.Errorf("a limit: %+v", w)
	}
	if w := of(registry.ParseFlag("waits for its provider since 2026-01-02T15:04:05Z")); w == nil ||
		w.For != "provider" || w.Until != nil || !w.Since.Equal(at) {
		t.Errorf("a limit without an end: %+v", w)
	}
}
