//go:build linux

package supervise

import (
	"context"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/text/budget"
	"delegate/internal/view/status"
	"delegate/registry"
)

// TestBudget holds that an agent is told to finish when its budget in US dollars is nearly used up, is stopped within
// its turn at it with its work kept, and gets no further turn; and that finished work is not failed for its price.
func TestBudget(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
cost() { echo '{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls","cost":'$1',"tokens":{"input":10,"cache":{"read":90}}}}'; }
echo w > w.txt; cost 0.95
until [ -f "$ROOT/on" ]; do sleep 0.1; done
if [ $DELEGATE_AGENT = AGT-002 ]; then
	cost 0.45 | sed s/tool-calls/stop/; sleep 1; told COMPLETE MERGE; exit
fi
cost 0.10; sleep 300
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nbudget: {agent: 1 US$}\nmax_parallel_agents: 2\nprofiles:\n" +
		"  scripted: {command: [sh, agent.sh], output: stream-json, pass_env: [GORACE]}\n")
	d.begin(2)
	d.until("the flag", func() bool { return d.agent("AGT-001").Flags.Has(registry.FlagBudgetNear) })
	d.until("the other's flag", func() bool { return d.agent("AGT-002").Flags.Has(registry.FlagBudgetNear) })
	d.touch("on")
	a := d.reaches("AGT-001", registry.Failed)
	if !strings.HasPrefix(a.LastError, "cost limit reached (1.05 of 1.00 US$); stopped") || a.Cost.USD != 1.05 ||
		!a.Flags.Has(registry.FlagCostLimit) || !slices.Equal(a.FilesModified, []string{"w.txt"}) ||
		a.Tokens != 200 || a.CachedTokens != 180 {
		t.Errorf("%q, cost %v, flags %q, files %q, %d tokens, %d cached", a.LastError, a.Cost, a.Flags, a.FilesModified,
			a.Tokens, a.CachedTokens)
	}
	if _, err := d.Message(context.Background(), "AGT-001", "go on"); err == nil ||
		!strings.Contains(err.Error(), "delegate extend AGT-001 2US$") {
		t.Errorf("a message to it: %v", err)
	}
	if a := d.reaches("AGT-002", registry.Complete); a.Cost.USD != 1.4 {
		t.Errorf("finished work cost %v", a.Cost)
	}
	if _, err := d.ExtendBudget(context.Background(), "AGT-001", budget.Amount{Tokens: 5}); err == nil ||
		!strings.Contains(err.Error(), "no budget in tokens") {
		t.Errorf("more tokens without a limit of them: %v", err)
	}
	a, err := d.ExtendBudget(context.Background(), "AGT-001", budget.Amount{Cost: 2})
	if limit := session.AgentBudget(d.Config, a); err != nil || a.Turns != 2 || limit.Cost != 3 {
		t.Errorf("extended: %d turns, budget %s, %v", a.Turns, limit, err)
	}
}

// TestSessionBudget holds that a session is held to its budget within one model call of each agent that works, with
// what they did kept, that nothing starts then and this is told with what to type, and that it goes on with a larger
// one.
func TestSessionBudget(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
cost() { echo '{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls","cost":'$1',"tokens":{"input":10,"output":5,"cache":{"read":90}}}}'; }
echo w > w.txt
if [ $DELEGATE_AGENT = AGT-003 ]; then cost 0.10; told COMPLETE MERGE; exit; fi
cost 0.46
until [ -f "$ROOT/on" ]; do sleep 0.1; done
if [ $DELEGATE_AGENT = AGT-001 ]; then while sleep 0.5; do cost 0.10; done; fi
sleep 300
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nbudget: {session: 1 US$}\nmax_parallel_agents: 2\nprofiles:\n" +
		"  scripted: {command: [sh, agent.sh], output: stream-json, pass_env: [GORACE]}\n")
	d.begin(3)
	ctx := context.Background()
	for _, id := range []string{"AGT-001", "AGT-002"} {
		d.until("the flag", func() bool { return d.agent(id).Flags.Has(registry.FlagBudgetNear) })
	}
	d.touch("on")
	for _, id := range []string{"AGT-001", "AGT-002"} {
		a := d.reaches(id, registry.Failed)
		if !strings.HasPrefix(a.LastError, "session budget reached (1.02 of 1.00 US$); stopped") ||
			!a.Flags.Has(registry.FlagSessionBudget) || !slices.Equal(a.FilesModified, []string{"w.txt"}) {
			t.Errorf("%s: %q, flags %q, files %q", id, a.LastError, a.Flags, a.FilesModified)
		}
	}
	state := d.state()
	if used := session.AllUsed(d.Project, state); used.CostUSD < 1.019 || used.CostUSD > 1.021 ||
		used.OutputTokens != 15 {
		t.Errorf("used up: %+v", used)
	}
	if a := d.agent("AGT-003"); a.Status != registry.Pending || a.Turns != 0 {
		t.Errorf("AGT-003 is %s in turn %d", a.Status, a.Turns)
	}
	if state.Session.Paused != "its budget of 1.00 US$, which is used up" || !state.Session.BudgetUsedUp {
		t.Errorf("paused: %q", state.Session.Paused)
	}
	waited, err := status.Wait(ctx, d.Project, []string{"AGT-003"}, patience)
	if err != nil || !strings.Contains(waited[0].Guidance, "delegate extend --session 5US$") {
		t.Errorf("waited: %+v, %v", waited, err)
	}
	if _, err := d.Message(ctx, "AGT-001", "go on"); err == nil ||
		!strings.Contains(err.Error(), "the session has used 1.02 of 1.00 US$") {
		t.Errorf("a message: %v", err)
	}
	if _, err := d.Unpause(ctx); err == nil || !strings.Contains(err.Error(), "--session") {
		t.Errorf("resume: %v", err)
	}
	if err := d.ExtendSession(ctx, budget.Amount{Cost: 1}); err != nil {
		t.Fatal(err)
	}
	d.reaches("AGT-003", registry.Complete)
	if now := d.state().Session.Paused; now != "" {
		t.Errorf("paused: %q", now)
	}
}
