package supervise

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/dialect"
	"delegate/internal/keeper"
	"delegate/internal/session"
	"delegate/internal/transcript"
	"delegate/registry"
)

// overBudget reads what the agent's program reports of itself and reports whether it used more tokens than it may.
func (s *supervisor) overBudget(a registry.Agent, w *watch) bool {
	desk := s.p.AgentDir(s.state.Session.ID, a.ID)
	if now := session.SignatureOf(filepath.Join(desk, agentdir.UsageName)); now != w.usageAt {
		w.usageAt = now
		if read := agentdir.Dir(desk).Usage(); read != (agentdir.Usage{}) {
			w.usage = read // what is being written at this moment makes no sense, and the last report holds
		}
	}
	used := w.usage
	if w.events != nil && w.events.usage != (dialect.Usage{}) {
		used = w.used()
	}
	limit := s.p.Config.TokenLimit
	return !limit.Off() && a.Tokens+used.Tokens() > limit.Value()
}

// usageOf is what the turn used up: by the program's events, else by its report on the desk.
func (s *supervisor) usageOf(a registry.Agent, w *watch) agentdir.Usage {
	session := s.state.Session.ID
	if w.events == nil || w.events.usage == (dialect.Usage{}) {
		return keepUsage(agentdir.Dir(s.p.AgentDir(session, a.ID)), w.turn, w.usage)
	}
	used := w.used()
	if data, err := json.Marshal(used); err == nil {
		_ = atomicfile.WriteFile(filepath.Join(w.turn.Dir, agentdir.UsageName), data, 0o600)
	}
	return used
}

// usedBefore is what the earlier turns of the attempt used up.
func (s *supervisor) usedBefore(session string, a registry.Agent) agentdir.Usage {
	var sum agentdir.Usage
	for n := a.Turns - 1; n > 0; n-- {
		turn := keeper.Turn{Dir: s.p.TurnDir(session, a.ID, n)}
		if spec, err := turn.Spec(); err != nil || spec.Attempt != a.Attempt {
			break
		}
		if data, err := os.ReadFile(filepath.Join(turn.Dir, agentdir.UsageName)); err == nil {
			u := agentdir.ParseUsage(data)
			sum.InputTokens, sum.OutputTokens = sum.InputTokens+u.InputTokens, sum.OutputTokens+u.OutputTokens
		}
	}
	return sum
}

// refusals are the rows for what the program itself refused. Where it asks our hook, the hook has
// told the others already.
func (s *supervisor) refusals(a registry.Agent, w *watch) []string {
	profile, err := agent.Find(s.p.Config, a.Profile)
	if w.events == nil || err != nil {
		return nil
	}
	var rows []string
	for n, e := range w.events.refused {
		if e.Own || profile.Hook == nil {
			rows = append(rows, refusedText(w.number, n+1, e))
		}
	}
	return rows
}

// keepUsage puts the report of an ended turn with the turn, so that it counts once; last is what
// was read before, for one that makes no sense.
func keepUsage(desk agentdir.Dir, turn keeper.Turn, last agentdir.Usage) agentdir.Usage {
	kept := filepath.Join(turn.Dir, agentdir.UsageName)
	usage := desk.Usage()
	if usage == (agentdir.Usage{}) {
		usage = last
	}
	if usage != (agentdir.Usage{}) {
		if data, err := json.Marshal(usage); err == nil && atomicfile.WriteFile(kept, data, 0o600) == nil {
			_ = desk.Remove(agentdir.UsageName)
		}
	}
	data, err := os.ReadFile(kept)
	if err != nil {
		return agentdir.Usage{}
	}
	return agentdir.ParseUsage(data)
}

// addUsage adds a turn's usage to its agent's.
func addUsage(a *registry.Agent, u agentdir.Usage) {
	a.Tokens += u.Tokens()
	if u.CostUSD > 0 {
		a.Cost = strconv.FormatFloat(session.Cost(*a)+u.CostUSD, 'f', 4, 64)
	}
}

// takeSpool records what layers inside the agent's turn refused.
func (s *supervisor) takeSpool(ctx context.Context, a registry.Agent) error {
	desk := agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID))
	attempts, names, err := desk.ReadRefusals()
	if err != nil {
		return err
	}
	if len(attempts) > 0 {
		_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			for _, t := range attempts {
				e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
					Details: attemptText(t)}
				if stands(tx.State(), e) {
					continue // by a supervisor that died before it emptied the spool
				}
				if err := tx.Record(e, func(a *registry.Agent) { a.Violations++ }); err != nil {
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
		if err := desk.Remove(name); err != nil {
			return fmt.Errorf("empty spool of %s: %w", a.ID, err)
		}
	}
	return nil
}

// stands says whether the very row is in the log already.
func stands(state registry.State, e registry.Event) bool {
	return slices.ContainsFunc(state.Events, func(old registry.Event) bool {
		return old.Agent == e.Agent && old.Kind == e.Kind && old.Details == e.Details
	})
}

// attemptText is the row of an attempt, of which its moment tells it from another.
func attemptText(t agentdir.Refusal) string {
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
