package registry

import (
	"strings"
	"testing"
	"time"
)

// An agent that was added says in the record who let it start, or that nobody did, whatever the person is called.
func TestApprovalInTheRecord(t *testing.T) {
	at := time.Date(2026, 11, 23, 10, 20, 30, 0, time.UTC)
	for _, want := range []Approval{
		{At: at}, {By: "Ada", At: at}, {By: "Ada, the second", At: at}, {By: "pending since ever", At: at},
	} {
		text := update(t, string(New()), twoAgents)
		text = update(t, text, func(tx *Tx) error {
			more := Agent{Subtask: "More", Allowed: []string{"**"}, Approval: want, BestOf: "All of it"}
			_, err := tx.AddAgent(more)
			return err
		})
		got, err := parsed(t, text).State().Agent("AGT-003")
		if err != nil || got.Approval != want || got.Approval.Pending() != (want.By == "") ||
			got.BestOf != "All of it" {
			t.Errorf("%+v reads back as %+v, %v", want, got.Approval, err)
		}
		line := "**Approval**: "
		for at := range strings.Lines(text) {
			if strings.Contains(at, line) {
				line = at
			}
		}
		if _, err := Parse([]byte(strings.Replace(text, line, "- **Approval**: perhaps\n", 1))); err == nil {
			t.Errorf("an approval that says nothing is read, in place of %q", line)
		}
	}
}

// An added agent needs a yes of its own as long as either of the two lines is there that say so; what an earlier
// version wrote has one of them.
func TestApprovalWithoutItsLine(t *testing.T) {
	at := time.Date(2026, 11, 23, 10, 20, 30, 0, time.UTC)
	for name, c := range map[string]struct {
		approval Approval
		without  string // the line that is taken out
		with     string // what is written in its place
		needs    bool
	}{
		"as written":             {Approval{At: at}, "", "", true},
		"no approval":            {Approval{At: at}, "- **Approval**: ", "", true},
		"an empty approval":      {Approval{At: at}, "- **Approval**: ", "- **Approval**:\n", true},
		"no addition":            {Approval{At: at}, "- **Added**: ", "", true},
		"a yes that was deleted": {Approval{By: "Ada", At: at}, "- **Approval**: ", "", true},
		"a yes":                  {Approval{By: "Ada", At: at}, "", "", false},
		"a yes, no addition":     {Approval{By: "Ada", At: at}, "- **Added**: ", "", false},
	} {
		text := update(t, string(New()), twoAgents)
		text = update(t, text, func(tx *Tx) error {
			_, err := tx.AddAgent(Agent{Subtask: "More", Allowed: []string{"**"}, Added: at, Approval: c.approval})
			return err
		})
		for line := range strings.Lines(text) {
			if c.without != "" && strings.HasPrefix(line, c.without) {
				text = strings.Replace(text, line, c.with, 1)
			}
		}
		state := parsed(t, text).State()
		if got, err := state.Agent("AGT-003"); err != nil || got.NeedsApproval() != c.needs {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if got, err := state.Agent("AGT-001"); err != nil || got.NeedsApproval() {
			t.Errorf("%s: an agent of the plan needs its own approval, %v", name, err)
		}
	}
}

// A name that a person gives is one that no other agent, branch or folder has.
func TestGivenNames(t *testing.T) {
	text := update(t, string(New()), twoAgents)
	state := parsed(t, text).State()
	there := func(name string) bool { return name == "there" }
	for name, fine := range map[string]bool{
		"fix-login": true, "x2": true, "limiter": false, "there": false, "Fix": false, "a_b": false, "agt-4": false,
		"x": false, "-a": false, "a--b": false,
	} {
		if err := state.CheckName(name, there); (err == nil) != fine {
			t.Errorf("%q: %v", name, err)
		}
	}
}
