package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// Reassign gives the subtask to a new agent, with what was tried in its context; the old one is
// cancelled and its branch kept.
func (c Control) Reassign(ctx context.Context, id, profile string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	if err := allowed(a, registry.EventAborted); err != nil {
		return a, asked(err, "reassigned")
	}
	if _, err := agent.Find(c.P.Config, cmp.Or(strings.TrimSpace(profile), a.Profile)); err != nil {
		return a, err
	}
	kept, err := c.saveWork(ctx, sessionID, a, registry.EventAborted)
	if err != nil {
		return a, err
	}
	fresh := registry.Agent{
		Subtask: a.Subtask, Status: registry.Pending, Allowed: a.Allowed, Forbidden: a.Forbidden,
		Profile: cmp.Or(strings.TrimSpace(profile), a.Profile),
		Type:    a.Type, Complexity: a.Complexity, Description: a.Description, Dependencies: a.Dependencies,
		ExpectedOutputs: a.ExpectedOutputs,
		Task:            a.Task, Tests: "not_run", Budget: a.Budget, BudgetAdded: a.BudgetAdded,
		Context: triedBefore(a, cmp.Or(kept.head, a.Head)) + c.historyOf(sessionID, a),
	}
	added, used := "", session.RunningUsage(c.P, sessionID, a)
	state, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		old := registry.Event{Kind: registry.EventAborted, Agent: a.ID, Details: "given to a new agent" + kept.text(),
			By: c.Who}
		if err := tx.Transition(a.ID, old, registry.Person, func(a *registry.Agent) {
			session.AddRunTime(session.Elapsed(c.P, sessionID, *a)-a.RunTime, c.P.Now().UTC())(a)
			session.AddUsage(a, used)
			a.Head = cmp.Or(kept.head, a.Head)
		}); err != nil {
			return err
		}
		var err error
		if added, err = tx.AddAgent(fresh); err != nil {
			return err
		}
		return inherit(tx, a.ID, added)
	})
	if err != nil {
		return a, err
	}
	if fresh, err = state.Agent(added); err != nil {
		return fresh, err
	}
	last, err := session.Settle(ctx, c.P, sessionID, a)
	if err != nil || last.Head == kept.head || kept.head == "" {
		return fresh, err
	}
	return c.update(ctx, added, func(tx *registry.Tx) error {
		return tx.Edit(added, func(fresh *registry.Agent) {
			fresh.Context = strings.ReplaceAll(fresh.Context, kept.head, last.Head)
		})
	})
}

// inherit has the agents that still wait for the old one wait for the new one.
func inherit(tx *registry.Tx, old, fresh string) error {
	for _, other := range tx.State().Agents {
		at := slices.Index(other.Dependencies, old)
		if at < 0 || other.Status != registry.Pending || other.ID == fresh {
			continue
		}
		if err := tx.Edit(other.ID, func(a *registry.Agent) { a.Dependencies[at] = fresh }); err != nil {
			return err
		}
	}
	return nil
}

// historyOf is what the agent wrote down for itself, for whoever has the subtask next.
func (c Control) historyOf(sessionID string, a registry.Agent) string {
	history, err := agentdir.Dir(c.P.AgentDir(sessionID, a.ID)).Read(session.HistoryName, session.LargestHistory)
	if err != nil || len(history) == 0 {
		return ""
	}
	return "\n\nIt wrote down: " + agent.Cut(string(history), session.HistoryInPrompt)
}

// triedBefore tells the next agent of the work by its commit: other agents' branches do not show behind the fence.
func triedBefore(a registry.Agent, head string) string {
	text := fmt.Sprintf("%s tried this before (%s).", a.ID, cmp.Or(a.Profile, "unknown program"))
	if a.LastError != "" {
		text += " It ended with: " + a.LastError + "."
	}
	if head != "" {
		text += fmt.Sprintf(" Its work is the commit %s.", head)
	}
	return strings.TrimSpace(a.Context + "\n\n" + text)
}
