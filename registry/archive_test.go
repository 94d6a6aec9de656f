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

// What a template says in place of the first session goes with it, and what a person wrote stays.
func TestTemplateGoes(t *testing.T) {
	const table = "| Metric | Value |\n|--------|-------|\n| Total Sessions | 0 |\n| Success Rate | 0% |\n"
	template := edit(t, string(New()), "## Archived Sessions\n",
		"## Archived Sessions\n\n(No archived sessions yet)\n\nmine (No archived sessions yet)\n",
		"### Session Statistics\n", "### Session Statistics\n"+table)
	for name, text := range map[string]string{"untouched": template,
		"counted": edit(t, template, "Sessions | 0", "Sessions | 4")} {
		next, _, err := parsed(t, update(t, text, twoAgents)).Change(start(), nobody, nobody, func(tx *Tx) error {
			return tx.EndSession(SessionAborted, Event{Kind: EventSessionAborted})
		})
		if err != nil {
			t.Fatal(err)
		}
		closed, err := next.Close("archive/x.md")
		if err != nil {
			t.Fatal(err)
		}
		got := string(closed.Bytes())
		if strings.Contains(got, "\n(No archived") || !strings.Contains(got, "\nmine (No archived sessions yet)\n") ||
			strings.Contains(got, "| Metric") != (name == "counted") || !strings.Contains(got, "- Sessions: 1\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestConflictCounts(t *testing.T) {
	found, seen := Event{Kind: EventConflict}, Event{Kind: EventResolved, By: "Ada"}
	closed := Event{Kind: EventResolved, By: "supervisor"}
	merged, gone, chosen := closed, closed, seen
	merged.Agent, gone.Agent, chosen.Agent = "AGT-001", "AGT-002", "AGT-002"
	agents := []Agent{{ID: "AGT-001", Status: Merged}, {ID: "AGT-002", Status: Aborted}}
	for want, events := range map[string][]Event{
		"0 found, 0 resolved":                               nil,
		"2 found, 1 resolved":                               {found, found, closed},
		"1 found, 1 resolved":                               {found, chosen, closed},
		"3 found, 3 resolved":                               {chosen, chosen, chosen},
		"1 found, 0 resolved":                               {found, seen},
		"1 found, 0 resolved, 1 gone with an aborted agent": {found, seen, gone},
		"2 found, 1 resolved, 1 gone with an aborted agent": {found, found, gone, merged},
	} {
		if got := CountConflicts(events, agents).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
