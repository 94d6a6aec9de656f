package registry

import (
	"strings"
	"testing"
)

// An archived session begins with what it came to, and its agents stand in their order.
func TestSessionTextSumsUp(t *testing.T) {
	text := update(t, string(New()), twoAgents)
	text = update(t, text, walk("AGT-001", EventSpawning, EventSpawned, EventComplete))
	text = update(t, text, func(tx *Tx) error {
		if err := tx.Record(Event{Kind: EventConflict, Details: "both"}, nil); err != nil {
			return err
		}
		err := tx.Edit("AGT-001", func(a *Agent) { a.Spawned, a.Insertions, a.Tests = start(), 3, "pass" })
		if err != nil {
			return err
		}
		return tx.Transition("AGT-001", Event{Kind: EventMerged}, Person, nil)
	})
	doc := parsed(t, text)
	got := doc.SessionText(doc.State().Events)
	want := "### Summary\n- **Duration**: 0s\n- **Agents**: 2, 1 spawned, 1 merged, 0 failed, 0 aborted\n" +
		"- **Conflicts**: 1 found, 0 resolved\n\n| Agent | Name | Status | Files | Lines | Tests |\n|-|-|-|-|-|-|\n" +
		"| AGT-001 | limiter | MERGED | 0 | +3 −0 | pass |\n| AGT-002 | docs | PENDING | 0 | +0 −0 |  |\n\n" +
		"### Configuration\n"
	if !strings.Contains(got, want) || strings.Index(got, "#### AGT-001") > strings.Index(got, "#### AGT-002") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestConflictCounts(t *testing.T) {
	found, resolved := Event{Kind: EventConflict}, Event{Kind: EventResolved}
	for name, c := range map[string]struct {
		events      []Event
		want, ended int
	}{
		"none": {nil, 0, 0}, "open": {[]Event{found, found, resolved}, 2, 1},
		"closed twice": {[]Event{found, resolved, resolved}, 1, 1},
		"at a merge":   {[]Event{resolved}, 1, 1},
	} {
		if n, done := ConflictCounts(c.events); n != c.want || done != c.ended {
			t.Errorf("%s: %d found, %d resolved", name, n, done)
		}
	}
}
