package session

import (
	"testing"

	"delegate/checkpoint"
	"delegate/registry"
)

func TestProgress(t *testing.T) {
	row := func(id string, b checkpoint.Block) registry.Event {
		e, _ := (&watch{number: 2}).event(id, seenItem{Item: checkpoint.Item{Kind: checkpoint.Valid, Block: b, Line: 7}})
		return e
	}
	half := row("AGT-001", checkpoint.Block{Status: checkpoint.InProgress, Progress: 50})
	whole := row("AGT-001", checkpoint.Block{Status: checkpoint.Complete, Progress: 100})
	silent := row("AGT-001", checkpoint.Block{Status: checkpoint.InProgress, Progress: -1})
	other := row("AGT-002", checkpoint.Block{Status: checkpoint.InProgress, Progress: 70})
	judged := registry.Event{Kind: registry.EventCheckpoint, Agent: "AGT-001", By: bySupervisor, Details: "turn 1, line 2: COMPLETE 99%"}
	again := registry.Event{Kind: registry.EventSpawned, Agent: "AGT-001"}
	for name, c := range map[string]struct {
		events []registry.Event
		want   int
	}{
		"nothing":               {nil, -1},
		"a block":               {[]registry.Event{half}, 50},
		"the last one":          {[]registry.Event{half, whole, other}, 100},
		"one that says nothing": {[]registry.Event{half, silent}, 50},
		"another agent's":       {[]registry.Event{other}, -1},
		"not its own word":      {[]registry.Event{half, judged}, 50},
		"an attempt before":     {[]registry.Event{whole, again}, -1},
	} {
		if got := Progress(registry.State{Events: c.events}, "AGT-001"); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
