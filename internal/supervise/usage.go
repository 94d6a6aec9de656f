package supervise

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/text/budget"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// budgetNear is the share of a budget from which on an agent is told to finish.
const budgetNear = 0.9

// spent is how much of its budget, or of the session's, the agent has used up, whichever is more, and the reason to
// stop for it.
func (s snapshot) spent(a registry.Agent, w *watch) (used budget.Used, reason string) {
	own := session.Used(a).Plus(w.Usage(agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID))))
	used, reason = own.Amount().Of(session.AgentBudget(s.p.Config, a)), stoppedCost
	if used.Tokens {
		reason = stoppedTokens
	}
	if limit := session.Budget(s.p.Config, *s.state.Session); !limit.Off() {
		if all := session.AllUsed(s.p, s.state).Amount().Of(limit); all.Share > used.Share {
			used, reason = all, stoppedSession
		}
	}
	return used, reason
}

// budgetLeft is what the agent's next turn may cost, for a program that stops at it by itself; "" without a limit.
func (s snapshot) budgetLeft(a registry.Agent) string {
	var left []float64
	if own := session.AgentBudget(s.p.Config, a).Cost; own > 0 {
		left = append(left, own-session.Used(a).CostUSD)
	}
	if all := session.Budget(s.p.Config, *s.state.Session).Cost; all > 0 {
		left = append(left, all-session.AllUsed(s.p, s.state).CostUSD)
	}
	if len(left) == 0 {
		return ""
	}
	return strconv.FormatFloat(max(0.01, slices.Min(left)), 'f', 4, 64)
}

// keepBudget holds the agent to its budget and the session's. It reports whether it began something.
func (s *supervisor) keepBudget(ctx context.Context, a registry.Agent, w *watch) bool {
	used, reason := s.spent(a, w)
	whose := "your budget"
	if reason == stoppedSession {
		whose = "the session's budget"
	}
	switch {
	case w.SaysItEnded():
		return false
	case used.Share >= 1:
		s.begin(of(a), "stop at its budget", func(s snapshot) error {
			return stopFor(w.Turn, stop{reason, used.Words}, s.grace())
		})
	case used.Share >= budgetNear && !a.Flags.Has(registry.FlagBudgetNear):
		s.begin(of(a), "announce the budget to", func(s snapshot) error {
			return s.ask(ctx, a, used.Words+" of "+whose+" are used up: finish now, and print a checkpoint block with "+
				"what is done and what is missing.", used.Words+" used up, asked to finish", registry.FlagBudgetNear)
		})
	default:
		return false
	}
	return true
}

// keepSessionBudget pauses a session that has used up its budget, and lets it go on when it has more. What this look
// does goes by that already.
func (s *supervisor) keepSessionBudget(ctx context.Context) {
	changed := *s.state.Session // steps under way read the old one
	want := session.BudgetPause(s.p, s.state)
	if changed.Paused == want || changed.Paused != "" && !changed.BudgetUsedUp {
		return
	}
	changed.Paused, changed.BudgetUsedUp = want, want != ""
	s.state.Session = &changed
	if s.busy[lane{"", ofBudget}] != nil {
		return
	}
	s.begin(lane{"", ofBudget}, "hold the session to its", func(s snapshot) error {
		_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			e := registry.Event{Kind: registry.EventResumed, Details: "session resumed: it has a larger budget",
				By: session.BySupervisor}
			if want != "" {
				e.Kind, e.Details = registry.EventInterrupted, "session paused by "+want+": no turn is started"
			}
			if err := tx.EditSession(func(s *registry.Session) {
				s.Paused, s.BudgetUsedUp = want, want != ""
			}); err != nil {
				return err
			}
			return tx.Record(e, nil)
		})
		return err
	})
}

// takeRefusals records what layers inside the agent's turn refused.
func (s snapshot) takeRefusals(ctx context.Context, a registry.Agent) error {
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
					Details: s.p.Recorded(a, refusalText(t))}
				if session.IsRecorded(tx.State(), e) {
					continue // by a supervisor that died before it took them
				}
				if err := tx.Record(e, func(now *registry.Agent) {
					if t.Same {
						now.AddViolationPath()
					} else {
						now.AddViolation()
					}
					if limits.Check(t.Path).Pattern == t.Pattern { // by its scope, so it was a write
						addRefused(now, s.outsideOf(a, []transcript.RefusedWrite{{Path: t.Path, Sure: true}}))
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
	parts := []string{fmt.Sprintf("refused (%s, %s): %s", cmp.Or(t.Layer, "unknown layer"),
		t.Time.UTC().Format("15.04.05.000000"), transcript.FirstLine(t.Operation))}
	if t.Path != "" {
		parts = append(parts, t.Path)
	}
	if t.Pattern != "" {
		parts = append(parts, "by "+t.Pattern)
	}
	return strings.Join(parts, "; ")
}
