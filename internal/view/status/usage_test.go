package status

import (
	"testing"
	"time"

	"delegate/internal/turn/agentdir"
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

// TestShort holds that a screen shows money where it is known, marked where it was computed, and else tokens.
func TestShort(t *testing.T) {
	for want, v := range map[string]UsageView{
		"": {}, "$0.40": {5, agentdir.Usage{CostUSD: 0.4}},
		"≈$0.40":  {0, agentdir.Usage{CostUSD: 0.4, CostComputed: true}},
		"950 tok": {Tokens: 950}, "1.2M tok": {Tokens: 1_200_000},
	} {
		if got := v.Short(); got != want {
			t.Errorf("%+v is %q, want %q", v, got, want)
		}
	}
}
