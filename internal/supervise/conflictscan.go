package supervise

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

const (
	// scanEvery is how often at most the supervisor looks for conflicts, and for how long agents at work put it off.
	scanEvery = 20 * time.Second
	// scanQuiet is for how long nothing moved before it looks: who reviews work at once looks at the same.
	scanQuiet = time.Second
)

// scanConflicts begins to look for conflicts between the agents if their work may have moved since the last look.
func (s *supervisor) scanConflicts(ctx context.Context) {
	if s.o.Conflicts == nil || s.busy[lane{"", ofConflicts}] != nil || s.mono() < s.lastScan+scanEvery {
		return
	}
	now := s.workSeen()
	if now != s.moved {
		if s.moved == s.scanned {
			s.unscanned = s.mono()
		}
		s.moved, s.movedAt = now, s.mono()
	}
	working := s.stepsUnderWay() || s.mono() < s.movedAt+scanQuiet
	if now == s.scanned || working && s.mono() < s.unscanned+scanEvery {
		return
	}
	s.lastScan = s.mono()
	seen := ""
	op := s.begin(lane{"", ofConflicts}, "look for", func(fixed snapshot) error {
		found, heads, err := s.o.Conflicts(ctx)
		if err != nil {
			return fmt.Errorf("look for conflicts: %w", err)
		}
		if !slices.ContainsFunc(found, unread) { // what git could not read may have been mended before anything moves
			seen = now
		}
		if err := fixed.recordConflicts(ctx, found); err != nil {
			return err
		}
		return fixed.restingAt(heads).Keep(fixed.p, fixed.state.Session.ID)
	})
	op.then = func() { s.scanned = seen }
}

// restingAt are the heads that were compared, of work that rests as the registry has it: what was looked at may hold
// what a person edited since, in a commit that is nobody's head.
func (s snapshot) restingAt(heads session.Compared) session.Compared {
	for id := range heads {
		if a, err := s.state.Agent(id); err == nil && a.Status != registry.Running {
			heads[id] = a.Head
		}
	}
	return heads
}

// stepsUnderWay reports whether an agent is in the middle of a step, such as the end of its turn: what that looks at
// would be looked at twice.
func (s *supervisor) stepsUnderWay() bool {
	return slices.ContainsFunc(s.state.Agents, func(a registry.Agent) bool { return s.busy[of(a)] != nil })
}

// unread reports a finding that says only that git gave no verdict on the merge.
func unread(f conflict.Finding) bool {
	return f.Type == conflict.FileConflict && f.Certainty == conflict.Unknown
}

// workSeen changes when the work of an agent may have: with its head, or while it is running with its transcript.
// One agent is enough: it can clash with a target that moved.
func (s *supervisor) workSeen() string {
	var b strings.Builder
	for _, a := range s.state.Agents {
		if a.Turns == 0 || a.Status == registry.Aborted {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s", a.ID, a.Status, a.Head)
		if w := s.watches[a.ID]; w != nil {
			fmt.Fprintf(&b, " %d %d %d", w.Number, w.Offset, w.liveness.worktree)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// recordConflicts writes a row for each clash that is new, and closes those that are no more.
func (s snapshot) recordConflicts(ctx context.Context, found []conflict.Finding) error {
	now := map[string]conflict.Finding{}
	var order []string
	for _, f := range found {
		if key := clash(f); key != "" && now[key].Message == "" {
			now[key] = f
			order = append(order, key)
		}
	}
	return session.ChangeConflicts(ctx, s.p, s.state.Session.ID, func(open map[string]session.OpenConflict) error {
		for key, f := range now { // what was only suspected may be confirmed by now, and the other way round
			if c, known := open[key]; known {
				c.Text, c.Target, c.Blocks = f.Message, blocksOnTarget(f), blockedAgents(f)
				open[key] = c
			}
		}
		gone := slices.Sorted(maps.Keys(open))
		gone = slices.DeleteFunc(gone, func(key string) bool { _, still := now[key]; return still })
		order = slices.DeleteFunc(order, func(key string) bool { _, known := open[key]; return known })
		if len(order)+len(gone) == 0 {
			return nil
		}
		_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			for _, key := range order {
				e := registry.Event{Kind: registry.EventConflict, Agent: agentIn(now[key]), By: session.BySupervisor,
					Details: key + ": " + now[key].Message}
				if err := tx.Record(e, nil); err != nil {
					return err
				}
			}
			for _, key := range gone {
				if err := tx.Record(closed(tx.State(), key, open[key]), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, key := range order {
			f := now[key]
			c := session.OpenConflict{Agent: agentIn(f), Text: f.Message, Target: blocksOnTarget(f),
				Blocks: blockedAgents(f), Since: s.p.Now().UTC().Truncate(time.Second)}
			copy(c.Agents[:], f.Agents)
			open[key] = c
		}
		for _, key := range gone {
			delete(open, key)
		}
		return nil
	})
}

// closed is the row of a conflict that is there no more; it names the agent with which it went, if that was aborted.
func closed(state registry.State, key string, c session.OpenConflict) registry.Event {
	e := registry.Event{Kind: registry.EventResolved, By: session.BySupervisor,
		Details: key + ": their work does not conflict any more"}
	for _, id := range c.Agents {
		if a, err := state.Agent(id); err == nil && a.Status == registry.Aborted {
			e.Agent, e.Details = id, key+": gone, because "+id+" was aborted"
		}
	}
	return e
}

// blocksOnTarget says that work cannot be merged as it is.
func blocksOnTarget(f conflict.Finding) bool {
	return f.Blocking && !unread(f) && slices.Contains(f.Agents, project.TargetName)
}

// blockedAgents are the two agents of which one cannot be merged behind the other, empty where there are no such two.
func blockedAgents(f conflict.Finding) (both [2]string) {
	agent := func(id string) bool { return strings.HasPrefix(id, "AGT-") }
	if f.Blocking && !unread(f) && len(f.Agents) == 2 && agent(f.Agents[0]) && agent(f.Agents[1]) {
		both = [2]string(f.Agents)
	}
	return both
}

// clash names a finding that is worth a person's time while agents work, whatever lines it stands at; "" for any other.
func clash(f conflict.Finding) string {
	if f.Severity == conflict.Info || f.Type == conflict.FileConflict && !f.Blocking {
		return ""
	}
	where := ""
	for _, p := range f.Places {
		if where = p.Path; p.Symbol != "" {
			where += " " + p.Symbol
			break
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.Join(f.Agents, " × "), f.Type, where))
}

// agentIn is the first of the finding's sides that is an agent.
func agentIn(f conflict.Finding) string {
	for _, id := range f.Agents {
		if strings.HasPrefix(id, "AGT-") {
			return id
		}
	}
	return ""
}
