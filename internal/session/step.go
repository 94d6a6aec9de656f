package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/agent"
	"delegate/internal/run"
	"delegate/registry"
)

// step decides what one agent needs now and begins it.
func (s *supervisor) step(ctx context.Context, a registry.Agent) {
	switch a.Status {
	case registry.Pending:
		if MayStart(s.state, a) {
			s.begin(a, "spawn", func(s *supervisor) error { return s.spawn(ctx, a) })
			s.countSlot(a.ID)
		}
	case registry.Spawning:
		delete(s.settled, a.ID)
		s.begin(a, "spawn", func(s *supervisor) error { return s.spawn(ctx, a) })
	case registry.Running:
		delete(s.settled, a.ID)
		s.stepRunning(ctx, a)
	case registry.Checkpoint:
		if _, err := os.Stat(a.Worktree); errors.Is(err, fs.ErrNotExist) {
			s.begin(a, "give up", func(s *supervisor) error { return s.fail(ctx, a, "its worktree is gone", nil) })
			return
		}
		s.settle(a)
	default:
		s.settle(a)
	}
}

// countSlot takes the slot in this look's own view, before the registry says so.
func (s *supervisor) countSlot(id string) {
	s.state.Agents = slices.Clone(s.state.Agents) // steps under way read the old one
	for i := range s.state.Agents {
		if s.state.Agents[i].ID == id {
			s.state.Agents[i].Status = registry.Spawning
		}
	}
}

func (s *supervisor) stepRunning(ctx context.Context, a registry.Agent) {
	turn := agent.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, a.Turns)}
	state, err := turn.State()
	if err != nil {
		s.note("look at turn of "+a.ID, err)
		return
	}
	switch state {
	case agent.Prepared:
		s.begin(a, "start turn of", func(s *supervisor) error { return s.startTurn(ctx, a, turn) })
	case agent.Running:
		s.watchTurn(ctx, a, turn)
	case agent.Lost:
		s.begin(a, "bury turn of", func(s *supervisor) error { return turn.Bury(s.grace(), s.p.Now().UTC()) })
	case agent.Ended:
		w := s.watchOf(a, turn)
		delete(s.watches, a.ID)
		s.begin(a, "judge turn of", func(s *supervisor) error { return s.judgeTurn(ctx, a, turn, w) })
	}
}

// settle makes sure, once for each status, that an agent that should not run has no process left.
func (s *supervisor) settle(a registry.Agent) {
	if s.settled[a.ID] == string(a.Status) {
		return
	}
	delete(s.watches, a.ID)
	// The turn after the last counted one was being started if the agent was cancelled while it was SPAWNING.
	for _, n := range []int{a.Turns, a.Turns + 1} {
		turn := agent.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, n)}
		if state, err := turn.State(); err != nil || state == agent.Running || state == agent.Lost {
			s.begin(a, "stop turn of", func(s *supervisor) error { return s.put(turn) })
			return
		}
	}
	s.settled[a.ID] = string(a.Status)
}

// put ends a turn that is not wanted any more, so that it is Ended afterwards whoever kept it.
func (s *supervisor) put(turn agent.Turn) error {
	if state, err := turn.State(); err == nil && state == agent.Lost {
		return turn.Bury(s.grace(), s.p.Now().UTC())
	}
	return turn.Stop(s.grace())
}

// unwanted ends a turn that was started while a person cancelled its agent, or ended the session.
func (s *supervisor) unwanted(ctx context.Context, a registry.Agent, turn agent.Turn) error {
	state, err := s.p.Store.View(ctx)
	if err != nil {
		return err // nothing is known; the next look decides
	}
	if state.Session != nil && state.Session.ID == s.state.Session.ID {
		now, err := state.Agent(a.ID)
		if err == nil && (now.Status == registry.Running || now.Status == registry.Spawning) {
			return nil
		}
	}
	return turn.Stop(s.grace())
}

func (s *supervisor) grace() time.Duration { return s.p.Config.StopGrace.Value() }

// watchTurn reads on in the transcript and keeps the time.
func (s *supervisor) watchTurn(ctx context.Context, a registry.Agent, turn agent.Turn) {
	w := s.watchOf(a, turn)
	if err := w.read(); err != nil {
		s.note("read transcript of "+a.ID, err)
	}
	if events := w.take(); len(events) > 0 {
		s.begin(a, "record blocks of", func(s *supervisor) error { return s.recordBlocks(ctx, a, w, events) })
		return
	}
	limit := timeLimit(s.state.Session.AgentTimeout, a)
	if limit == 0 {
		return
	}
	left := limit - elapsed(a, s.p.Now())
	switch {
	case left <= 0:
		s.begin(a, "stop at its time limit", func(s *supervisor) error { return stopFor(turn, "timeout", s.grace()) })
	case left <= warning(limit, s.p.Config.NudgeGrace.Value()) && !w.warned:
		w.warned = true
		s.begin(a, "announce the time limit to", func(s *supervisor) error { return s.warnTimeout(ctx, a, left) })
	}
}

// timeLimit is the RUNNING time an agent has, 0 for no limit.
func timeLimit(session time.Duration, a registry.Agent) time.Duration {
	if session == 0 {
		return 0
	}
	return session + a.Extended
}

// elapsed is the agent's RUNNING time so far.
func elapsed(a registry.Agent, now time.Time) time.Duration {
	if a.Status == registry.Running && !a.RunningSince.IsZero() {
		return a.RunTime + max(0, now.Sub(a.RunningSince))
	}
	return a.RunTime
}

// warning is how long before the limit a checkpoint is asked for: the nudge's grace, but at most a tenth of a short limit.
func warning(limit, grace time.Duration) time.Duration { return min(grace, limit/10) }

const stopReason = "stop-reason"

// stopFor notes why, so that whoever judges the turn knows, and then ends its whole tree.
func stopFor(turn agent.Turn, reason string, grace time.Duration) error {
	if err := os.WriteFile(filepath.Join(turn.Dir, stopReason), []byte(reason), 0o600); err != nil {
		return fmt.Errorf("note why the turn stops: %w", err)
	}
	return turn.Stop(grace)
}

// warnTimeout asks for a checkpoint on the agent's desk and announces the limit.
func (s *supervisor) warnTimeout(ctx context.Context, a registry.Agent, left time.Duration) error {
	line := fmt.Sprintf("[%s] [NUDGE] %s of your time are left: print a checkpoint block now, with what is done and what is missing.\n",
		s.p.Now().UTC().Format(time.RFC3339), left.Round(time.Second))
	if err := appendLine(filepath.Join(s.p.Desk(s.state.Session.ID, a.ID), "COMMANDS.md"), line); err != nil {
		return err
	}
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventNudged, Agent: a.ID, By: bySupervisor,
			Details: fmt.Sprintf("time limit in %s, asked for a checkpoint", left.Round(time.Second))}
		return tx.Record(e, func(a *registry.Agent) { addFlag(a, "timeout near") })
	})
	return err
}

const bySupervisor = "supervisor"

func appendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to %q: %w", path, err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

func addFlag(a *registry.Agent, flags ...string) {
	for _, flag := range flags {
		known := false
		for _, f := range a.Flags {
			known = known || f == flag
		}
		if !known {
			a.Flags = append(a.Flags, flag)
		}
	}
}

func dropFlags(a *registry.Agent, prefixes ...string) {
	kept := a.Flags[:0:0]
	for _, f := range a.Flags {
		drop := false
		for _, p := range prefixes {
			drop = drop || strings.HasPrefix(f, p)
		}
		if !drop {
			kept = append(kept, f)
		}
	}
	a.Flags = kept
}

// clearStrays ends whatever still carries the agent's mark, before anything else uses its worktree.
func (s *supervisor) clearStrays(a registry.Agent) error {
	mark := "DELEGATE_AGENT_DIR=" + s.p.Desk(s.state.Session.ID, a.ID)
	return run.Extinguish(func() []run.Process { return run.Marked(mark) }, s.grace())
}
