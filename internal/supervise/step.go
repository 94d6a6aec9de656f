package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// spawning is the name of the operation that starts an agent.
const spawning = "spawn"

// startsAtOnce is how many agents are started side by side: more of them wait for each other at the registry.
const startsAtOnce = 8

// starting counts the agents that are being started.
func (s *supervisor) starting() (n int) {
	for _, op := range s.busy {
		if op.name == spawning && op.after.IsZero() {
			n++
		}
	}
	return n
}

// step decides what one agent needs now and begins it.
func (s *supervisor) step(ctx context.Context, a registry.Agent) {
	switch a.Status {
	case registry.Pending:
		if session.MayStart(s.state, a) && session.HasRoom(s.p.Config, s.state, a) && s.starting() < startsAtOnce {
			s.begin(of(a), spawning, func(s snapshot) error { return s.spawn(ctx, a) })
			s.countSlot(a.ID)
		}
	case registry.Spawning:
		delete(s.idle, a.ID)
		if s.state.Session.Paused != "" && !s.begun(a) || s.starting() >= startsAtOnce {
			return
		}
		s.begin(of(a), spawning, func(s snapshot) error { return s.spawn(ctx, a) })
	case registry.Running:
		delete(s.idle, a.ID)
		s.stepRunning(ctx, a)
	case registry.Checkpoint:
		if _, err := os.Stat(a.Worktree); errors.Is(err, fs.ErrNotExist) {
			s.begin(of(a), "give up", func(s snapshot) error { return s.fail(ctx, a, "its worktree is gone", nil) })
			return
		}
		if !s.continueFrom(ctx, a) {
			s.cleanUp(ctx, a)
		}
	default:
		s.cleanUp(ctx, a)
	}
}

// begun reports whether the first turn of a SPAWNING agent's attempt has a program already.
func (s *supervisor) begun(a registry.Agent) bool {
	state, err := keeper.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, a.Turns+1)}.State()
	return err != nil || state != keeper.Prepared
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
	turn := keeper.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, a.Turns)}
	state, err := turn.State()
	if s.noteAttempt(attempt{"look at the turn of", of(a)}, err); err != nil {
		return
	}
	switch state {
	case keeper.Prepared:
		if takenOverBy(a) != "" {
			s.stepTakenOver(ctx, a, turn)
			return
		}
		if a.Turns == 1 && !turn.Whole() { // it is RUNNING because this turn began
			s.begin(of(a), "end the lost turn of", func(s snapshot) error { return s.endLost(a, turn) })
			return
		}
		if s.state.Session.Paused != "" || session.RateLimited(s.p, s.state.Session.ID, a) ||
			a.Flags.Waits() && !session.HasSlot(s.state, a) {
			return
		}
		s.begin(of(a), "start turn of", func(s snapshot) error { return s.startTurn(ctx, a, turn) })
	case keeper.Running:
		s.watchTurn(ctx, a, turn)
	case keeper.Detached:
		s.begin(of(a), "keep again the turn of", func(snapshot) error { return keepAgain(ctx, turn) })
	case keeper.Lost:
		s.begin(of(a), "bury turn of", func(s snapshot) error { return turn.FinalizeLost(s.grace(), s.p.Now().UTC()) })
	case keeper.Ended:
		w := s.watchOf(a, turn)
		delete(s.watches, a.ID)
		s.begin(of(a), "judge turn of", func(s snapshot) error { return s.judge(ctx, a, turn, w) })
	}
}

// judge closes an ended turn. Where nothing can be written, nothing of it is saved, whatever failed first.
func (s snapshot) judge(ctx context.Context, a registry.Agent, turn keeper.Turn, w *watch) error {
	err := s.endTurn(ctx, a, turn, w)
	if err != nil {
		if why := s.p.CheckWritable(); why != nil {
			return &session.UnsavedError{Why: why}
		}
	}
	return err
}

// endLost ends a turn of which the private folder knows nothing any more, so that it is judged by
// what it did: what still runs of it cannot be heard.
func (s snapshot) endLost(a registry.Agent, turn keeper.Turn) error {
	if err := s.killLeftovers(a); err != nil {
		return err
	}
	return turn.Forget(s.p.Now().UTC())
}

// cleanUp makes sure, once for each status, that an agent that should not run has no process left.
func (s *supervisor) cleanUp(ctx context.Context, a registry.Agent) {
	if s.idle[a.ID] == string(a.Status) {
		return
	}
	delete(s.watches, a.ID)
	// The turn after the last counted one was being started if the agent was cancelled while it was SPAWNING.
	for _, n := range []int{a.Turns, a.Turns + 1} {
		turn := keeper.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, n)}
		state, err := turn.State()
		// and a keeper may be on its way
		never := state == keeper.Prepared && turn.Whole() && a.Status == registry.Aborted
		if err != nil || state == keeper.Running || state == keeper.Detached || state == keeper.Lost || never {
			s.begin(of(a), "stop turn of", func(s snapshot) error {
				return errors.Join(s.stopTurn(turn), s.settle(ctx, a))
			})
			return
		}
	}
	s.idle[a.ID] = string(a.Status)
	// What it left to others is taken when its turn is judged, unless the supervisor died in between.
	if left, err := agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).List("inbox", 1); a.Turns > 0 && err == nil &&
		len(left) > 0 {
		s.begin(of(a), "take the notes of", func(s snapshot) error {
			return s.whileActive(ctx, func() error { return s.takeInbox(ctx, a) })
		})
	}
}

// stopTurn ends a turn that is not wanted any more, so that it is Ended afterwards whoever kept it.
func (s snapshot) stopTurn(turn keeper.Turn) error {
	if state, err := turn.State(); err == nil && state == keeper.Lost {
		return turn.FinalizeLost(s.grace(), s.p.Now().UTC())
	}
	return turn.Stop(s.grace())
}

// settle keeps what an agent wrote until the end of the turn in which it was given up, unless the command did.
func (s snapshot) settle(ctx context.Context, a registry.Agent) error {
	if a.Status != registry.Aborted {
		return nil
	}
	_, err := session.Settle(ctx, s.p, s.state.Session.ID, a)
	return err
}

// unwanted ends a turn that was started while a person cancelled its agent, or ended the session.
func (s snapshot) unwanted(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	state, err := s.p.Store.View(ctx)
	if err != nil {
		return err // nothing is known; the next look decides
	}
	if state.Session == nil || state.Session.ID != s.state.Session.ID {
		return turn.Stop(s.grace())
	}
	now, err := state.Agent(a.ID)
	if err == nil && (now.Status == registry.Running || now.Status == registry.Spawning) {
		return nil
	}
	return errors.Join(turn.Stop(s.grace()), s.settle(ctx, now))
}

func (s snapshot) grace() time.Duration { return s.p.Config.StopGrace.Value() }

// watchTurn reads on in the transcript, keeps the time, and looks for signs of life.
func (s *supervisor) watchTurn(ctx context.Context, a registry.Agent, turn keeper.Turn) {
	w := s.watchOf(a, turn)
	s.noteAttempt(attempt{"read the transcript of", of(a)}, w.Read())
	w.look(s.p.Now())
	w.NoteUsage(agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)))
	person := takenOverBy(a) != ""
	// What bounds an agent comes before what it can keep this loop busy with. A person bounds themselves.
	if !person && a.LimitCount() > mostViolations {
		s.begin(of(a), "stop after its violations", func(s snapshot) error {
			return stopFor(w.Turn, stop{Reason: stoppedViolations}, s.grace())
		})
		return
	}
	if words := s.hopeless(a, w); words != "" {
		s.begin(of(a), "stop, since its provider will not answer,", func(s snapshot) error {
			return stopFor(w.Turn, stop{stoppedHopeless, words}, s.grace())
		})
		return
	}
	if !person && s.keepLimits(ctx, a, w) || s.monitor(ctx, a, w) {
		return
	}
	// Before blocks, of which an agent can print one after the other.
	if now := s.mono(); now >= w.refusalsDue && s.hasRefusals(a, w) {
		w.refusalsDue = now + refusalsEvery
		s.begin(of(a), "record refused attempts of", func(s snapshot) error {
			return errors.Join(s.takeRefusals(ctx, a), s.takeKernelRefusals(ctx, a, w.Turn))
		})
		return
	}
	if w.Pending() {
		s.begin(of(a), "record blocks of", func(snapshot) error { return w.Record(ctx) })
		return
	}
	if person {
		return
	}
	if s.unguarded(a, w) {
		s.begin(of(a), "say that nobody guards", func(s snapshot) error { return s.tellUnguarded(ctx, a) })
		return
	}
	s.keepAlive(ctx, a, w)
}

// duringStep keeps an agent to its time while a step for it is under way: the step may wait for a lock,
// or for a file that the agent has its hand on. A look at a turn that is over is given up, since
// only the verdict counts then.
func (s *supervisor) duringStep(a registry.Agent, op *operation) {
	w := s.watches[a.ID]
	if w == nil || a.Status != registry.Running || w.Number != a.Turns {
		return
	}
	if state, err := w.Turn.State(); err != nil || state != keeper.Running {
		if op.cancel != nil {
			op.cancel()
		}
		return
	}
	w.look(s.p.Now())
	if left, limited := s.timeLeft(a, w); limited && left <= 0 && !w.stopped {
		s.stopAtLimit(lane{a.ID, ofTimeLimit}, w)
	}
}

// timeLeft is how long the agent may work on, if it has a limit.
func (s *supervisor) timeLeft(a registry.Agent, w *watch) (left time.Duration, limited bool) {
	if takenOverBy(a) != "" {
		return 0, false
	}
	limit := session.TimeLimit(s.state.Session.AgentTimeout, a)
	return limit - a.RunTime - w.Clock.Worked, limit > 0
}

// stopAtLimit ends the turn, in the agent's own lane or beside a step there.
func (s *supervisor) stopAtLimit(in lane, w *watch) {
	w.stopped = true
	s.begin(in, "stop at its time limit", func(s snapshot) error {
		return stopFor(w.Turn, stop{Reason: stoppedTimeout}, s.grace())
	})
}

// refusalsEvery is how often at most an agent's refusals are taken while a turn runs.
const refusalsEvery = time.Second

// keepLimits holds the agent to its time, its budget and its checkpoint interval. It reports
// whether it began something.
func (s *supervisor) keepLimits(ctx context.Context, a registry.Agent, w *watch) bool {
	if left, limited := s.timeLeft(a, w); limited {
		if left <= 0 {
			s.stopAtLimit(of(a), w)
			return true
		}
		if left <= warning(session.TimeLimit(s.state.Session.AgentTimeout, a), s.p.Config.NudgeGrace.Value()) &&
			!a.Flags.Has(registry.FlagTimeoutNear) {
			e := registry.Event{Kind: registry.EventNudged, Agent: a.ID, By: session.BySupervisor, Time: s.p.Now(),
				Details: fmt.Sprintf("time limit in %s, asked for a checkpoint", left.Round(time.Second))}
			op := s.begin(of(a), "announce the time limit to", func(s snapshot) error {
				return s.warnTimeout(ctx, a, left, e.Details)
			})
			op.then = func() { s.tellPerson(ctx, a.ID, []registry.Event{e}) }
			return true
		}
	}
	if s.keepBudget(ctx, a, w) {
		return true
	}
	if every := s.state.Session.CheckpointInterval; every > 0 && w.Clock.Worked-w.BlockAt >= every &&
		!a.Flags.Has(registry.FlagOverdue) {
		s.begin(of(a), "ask for a checkpoint of", func(s snapshot) error { return s.askCheckpoint(ctx, a, every) })
		return true
	}
	return false
}

// keepAlive looks for signs of life and does what is due.
func (s *supervisor) keepAlive(ctx context.Context, a registry.Agent, w *watch) {
	if w.stall.at == escalated && !a.Flags.Has(registry.FlagStalled) {
		w.stall = stall{} // a person acted
	}
	if s.tellLimit(ctx, a, w) {
		return
	}
	s.tellAsked(ctx, a, w)
	if away := w.away(); away || w.wasAway {
		if s.tellUnreached(ctx, a, w) || away {
			w.wasAway = true
			return
		}
		w.wasAway = false
		w.liveness.freshTree = true // that it answers again is a sign of life
	}
	heartbeat := session.SignatureOf(session.HeartbeatFile(s.p, s.state.Session.ID, a.ID))
	_, waits := w.WaitsForProvider(s.p.Now())
	if alive := w.liveness.alive(w.Offset, heartbeat); w.stall.pass(w.Clock.Gap, alive || waits) {
		s.begin(of(a), "note a sign of life of", func(s snapshot) error { return s.revive(ctx, a) })
		return
	}
	t := stallLimits{window: s.window(a), grace: s.p.Config.NudgeGrace.Value(), mayRespawn: a.Respawns == 0}
	quiet := w.stall.quiet
	switch w.stall.next(t) {
	case leaveIt:
		if w.liveness.wantsTree(quiet, t.window) {
			var print uint64
			op := s.begin(of(a), "look at the worktree of", func(s snapshot) error {
				print = fingerprint(s.p, a)
				return nil
			})
			op.silent, op.then = true, func() { w.liveness.sawTree(print, quiet) }
		}
	case nudge:
		s.begin(of(a), "nudge", func(s snapshot) error { return s.nudge(ctx, a, quiet) })
	case respawn:
		s.begin(of(a), "stop without a sign of life", func(s snapshot) error {
			words := fmt.Sprintf("no sign of life for %s, nudged, no answer", quiet.Round(time.Second))
			return stopFor(w.Turn, stop{stoppedStalled, words}, s.grace())
		})
	case escalate:
		s.begin(of(a), "call a person for", func(s snapshot) error { return s.escalate(ctx, a, quiet) })
	}
}

// window is how long the agent may show no sign of life, by its task type; 0 for ever.
func (s *supervisor) window(a registry.Agent) time.Duration {
	window, known := s.p.Config.Stall[a.Type]
	if !known {
		window = s.p.Config.Stall[config.Standard]
	}
	return window.Value()
}

// warning is how long before the limit a checkpoint is asked for: the nudge's grace, but at most a
// tenth of a short limit.
func warning(limit, grace time.Duration) time.Duration { return min(grace, limit/10) }

// The steps of a turn, in their order, at which tests end the supervisor.
const (
	stepAnnounced = "turn: spawn announced"
	stepWorktree  = "turn: worktree made"
	stepPrepared  = "turn: folder prepared"
	stepKept      = "turn: keeper started"
	stepDelivered = "turn: messages taken from the queue"
	stepStarted   = "turn: program started"
	stepSnapshot  = "turn: head taken"
	stepReported  = "turn: report kept"
	stepOutside   = "turn: breaches announced"
	stepJudged    = "turn: verdict recorded"
)

// stopFile has the stop of a turn.
const stopFile = "stop.json"

// stop is why the supervisor stopped a turn.
type stop struct {
	Reason string `json:"reason"`          // one of those below
	Words  string `json:"words,omitempty"` // for people
}

const (
	stoppedTimeout  = "timeout"
	stoppedTokens   = "tokens"
	stoppedCost     = "cost"
	stoppedSession  = "session"
	stoppedStalled  = "stalled"
	stoppedHopeless = "hopeless"
)

// stopFor notes why, so that whoever judges the turn knows, and then ends its whole tree.
func stopFor(turn keeper.Turn, why stop, grace time.Duration) error {
	err := atomicfile.WriteJSON(filepath.Join(turn.Dir, stopFile), why)
	if err != nil {
		err = fmt.Errorf("note why the turn stops: %w", err)
	}
	return errors.Join(err, turn.Stop(grace)) // a full disk, which it may be filling, is no reason to let it run
}

// warnTimeout asks for a checkpoint in the agent's folder and announces the limit.
func (s snapshot) warnTimeout(ctx context.Context, a registry.Agent, left time.Duration, details string) error {
	text := left.Round(time.Second).String() +
		" of your time are left: print a checkpoint block now, with what is done and what is missing."
	return s.ask(ctx, a, text, details, registry.FlagTimeoutNear)
}

// askCheckpoint reminds an agent that works on past its interval.
func (s snapshot) askCheckpoint(ctx context.Context, a registry.Agent, every time.Duration) error {
	return s.ask(ctx, a, "A checkpoint is overdue: print a checkpoint block now and go on.",
		fmt.Sprintf("no checkpoint for %s, asked for one", every), registry.FlagOverdue)
}

// nudge asks an agent that shows no sign of life for one.
func (s snapshot) nudge(ctx context.Context, a registry.Agent, quiet time.Duration) error {
	text := fmt.Sprintf("You show no sign of life. Print a line, or touch %s on your desk, and go on.",
		filepath.Base(session.HeartbeatFile(s.p, s.state.Session.ID, a.ID)))
	return s.ask(ctx, a, text, fmt.Sprintf("no sign of life for %s (%s)", quiet.Round(time.Second),
		cmp.Or(a.Type, config.Standard)), registry.FlagNudged)
}

// ask leaves a line in the agent's folder and records it.
func (s snapshot) ask(ctx context.Context, a registry.Agent, text, details string, flag registry.FlagKind) error {
	line := fmt.Sprintf("[%s] [NUDGE] %s\n", s.p.Now().UTC().Format(time.RFC3339), text)
	if err := agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).Append("COMMANDS.md", line); err != nil {
		s.note("write on the desk of "+a.ID, err)
		details += "; its desk could not be written"
	}
	return s.flag(ctx, a, registry.EventNudged, details, flag)
}

// flag records an event that sets a flag.
func (s snapshot) flag(ctx context.Context, a registry.Agent, kind registry.Kind, details string,
	flag registry.FlagKind) error {
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: kind, Agent: a.ID, By: session.BySupervisor, Details: details}
		return tx.Record(e, func(a *registry.Agent) { a.Flags = a.Flags.With(flag.Flag()) })
	})
	return err
}

// escalate calls a person: the agent goes on until they act or its time is over.
func (s snapshot) escalate(ctx context.Context, a registry.Agent, quiet time.Duration) error {
	details := "no sign of life for " + quiet.Round(time.Second).String() +
		", nudged, and it was respawned before: a person has to look; it goes on"
	return s.flag(ctx, a, registry.EventEscalated, details, registry.FlagStalled)
}

// revive takes the flags of a stall back.
func (s snapshot) revive(ctx context.Context, a registry.Agent) error {
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) {
			a.Flags = a.Flags.Without(registry.FlagNudged, registry.FlagStalled)
			a.LastActivity = s.p.Now().UTC()
		})
	})
	return err
}

// killLeftovers ends whatever still carries the agent's mark, before anything else uses its worktree.
func (s snapshot) killLeftovers(a registry.Agent) error {
	mark := agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).Mark()
	return run.EndAll(func() []run.Process { return run.Marked(mark) }, s.grace())
}
