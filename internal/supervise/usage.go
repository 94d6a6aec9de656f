package supervise

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"delegate/internal/agentdir"
	"delegate/internal/session"
	"delegate/internal/transcript"
	"delegate/registry"
)

// overBudget reports whether the agent used more tokens than it may.
func (s *supervisor) overBudget(a registry.Agent, w *watch) bool {
	used := w.Usage(agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)))
	limit := s.p.Config.TokenLimit
	return !limit.Off() && a.Tokens+used.Tokens() > limit.Value()
}

// addUsage adds a turn's usage to its agent's.
func addUsage(a *registry.Agent, u agentdir.Usage) {
	a.Tokens += u.Tokens()
	if u.CostUSD > 0 {
		a.Cost = strconv.FormatFloat(session.Cost(*a)+u.CostUSD, 'f', 4, 64)
	}
}

// takeRefusals records what layers inside the agent's turn refused.
func (s *supervisor) takeRefusals(ctx context.Context, a registry.Agent) error {
	folder := agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID))
	refusals, names, err := folder.ReadRefusals()
	if err != nil {
		return err
	}
	if len(refusals) > 0 {
		limits, err := s.p.Scope(a)
		if err != nil {
			return err
		}
		_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			for _, t := range refusals {
				e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
					Details: refusalText(t)}
				if session.IsRecorded(tx.State(), e) {
					continue // by a supervisor that died before it took them
				}
				if err := tx.Record(e, func(now *registry.Agent) {
					now.Violations++
					if limits.Check(t.Path).Pattern == t.Pattern { // by its scope, so it was a write
						addRefused(now, s.outsideOf(a, []string{t.Path}))
					}
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var paths []string
		for _, t := range refusals {
			if t.Path != "" {
				paths = append(paths, strings.TrimPrefix(t.Path, a.Worktree+"/"))
			}
		}
		if err := session.AddRecordedPaths(ctx, s.p, s.state.Session.ID, a, paths); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := folder.Remove(name); err != nil {
			return fmt.Errorf("empty spool of %s: %w", a.ID, err)
		}
	}
	return nil
}

// refusalText is the row of a refusal, of which its moment tells it from another.
func refusalText(t agentdir.Refusal) string {
	parts := []string{fmt.Sprintf("refused (%s, %s): %s", session.OrElse(t.Layer, "unknown layer"),
		t.Time.UTC().Format("15.04.05.000000"), transcript.FirstLine(t.Operation))}
	if t.Path != "" {
		parts = append(parts, t.Path)
	}
	if t.Pattern != "" {
		parts = append(parts, "by "+t.Pattern)
	}
	return strings.Join(parts, "; ")
}
