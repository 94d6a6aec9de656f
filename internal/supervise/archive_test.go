//go:build linux

package supervise

import (
	"context"
	"fmt"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/view/status"
	"delegate/registry"
)

// TestFactsOutliveTheirRows holds that what is known of conflicts and of an agent's blocks does not
// go with the rows that told it.
func TestFactsOutliveTheirRows(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
sed 's/^/x/' < /dev/null
printf '═══════════════════════════════════════\nAGENT CHECKPOINT: %s\n═══════════════════════════════════════\nStatus: BLOCKED\nProgress: 40%%\n## Changes Made\n## Questions for Parent\nWhich port?\n## Request\nHELP\n═══════════════════════════════════════\n' $DELEGATE_AGENT
`, "")
	ctx := context.Background()
	d.begin(1)
	d.reaches("AGT-001", registry.Checkpoint)
	clash := conflict.Finding{Type: conflict.APIConflict, Severity: conflict.Error,
		Agents: []string{"AGT-001", "target"}, Message: "m", Places: []conflict.Place{{Path: "a.go", Symbol: "F"}}}
	seen := clash
	seen.Places = []conflict.Place{{Path: "b: c.go"}}
	record := func(found ...conflict.Finding) {
		t.Helper()
		if err := (snapshot{p: d.Project, state: d.state()}).recordConflicts(ctx, found); err != nil {
			t.Fatal(err)
		}
	}
	record(clash, seen)
	if err := d.Control.Seen(ctx, "AGT-001 × target API_CONFLICT b: c.go"); err != nil {
		t.Fatal(err)
	}
	_, err := d.Store.Update(ctx, func(tx *registry.Tx) error {
		for i := range 250 {
			if err := tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001", Details: fmt.Sprint(i),
				By: "Ada"}, nil); err != nil {
				return err
			}
		}
		return tx.Edit("AGT-001", func(a *registry.Agent) { a.LastActivity = a.LastActivity.Add(time.Hour) })
	})
	if err != nil {
		t.Fatal(err)
	}
	record(clash, seen)
	if rows := d.events("AGT-001", registry.EventConflict); len(rows) > 0 {
		t.Errorf("told again: %q", rows)
	}
	begun, err := session.LastEvent(ctx, d.Project, d.state().Session.ID, "AGT-001", registry.EventSpawned)
	if err != nil || begun.Kind != registry.EventSpawned {
		t.Errorf("its turn began with %+v, %v", begun, err)
	}
	points, err := status.Points(d.Project, d.state())
	if err != nil || len(points) != 2 || points[1].Text != "asks for help: Which port?" ||
		points[0].Key != "AGT-001 × target API_CONFLICT a.go F" ||
		!points[1].Since.Equal(d.agent("AGT-001").LastActivity) {
		t.Errorf("points %+v, %v", points, err)
	}
	if a := d.agent("AGT-001"); a.Progress == nil || *a.Progress != 40 ||
		a.Blocks != (registry.Recorded{Turn: 1, Count: 1}) {
		t.Errorf("progress %v, blocks %+v", a.Progress, a.Blocks)
	}
	record()
	if rows := d.events("", registry.EventResolved); len(rows) != 2 {
		t.Errorf("over: %q", rows)
	}
}
