package supervise

import (
	"time"

	"delegate/internal/supervise/scopemonitor"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// watch is what the supervisor knows of one running turn.
type watch struct {
	*transcript.Reader
	stopped  bool // at its time limit
	liveness liveness
	stall    stall

	toolAt      time.Duration // what the clock showed when it first used a tool
	guardLooked bool          // it was looked whether its hook is asked
	monitor     *scopemonitor.Monitor
	refusalsDue time.Duration   // by the supervisor's clock
	refusalsAt  time.Time       // of the kernel's refusals that were taken
	limit       transcript.Wait // for its provider, as the record says; zero for none
	asks        bool            // its program waits for a person
	asked       string          // the question that a person was told of last
	remote      bool            // it runs on an engine
	where       keeper.Where    // there
	wasAway     bool            // nothing could be known of it at the last look
}

// look takes in the time since the last look. Time in which the program waits for its provider, or for a
// person, is not worked.
func (w *watch) look(now time.Time) {
	if w.remote {
		if w.where, _ = w.Turn.Where(); w.where.Began.IsZero() {
			w.Clock.Skip()
			return
		}
	}
	if _, waits := w.WaitsForProvider(now); waits || w.asks {
		w.Clock.Rest(w.Turn, now)
		return
	}
	w.Clock.Look(w.Turn, now)
}

// away says that nothing can be known of its program: it waits for room, or its engine does not answer.
func (w *watch) away() bool {
	return w.remote && (w.where.Began.IsZero() || !w.where.Unreached.IsZero())
}

// workedIn is how long the agent worked in its last turn. A person's time is not its own.
func (s snapshot) workedIn(a registry.Agent, w *watch) time.Duration {
	if takenOverBy(a) != "" {
		return 0
	}
	return w.Clock.Worked
}

// watchOf is the watch of an agent's last turn.
func (s *supervisor) watchOf(a registry.Agent, turn keeper.Turn) *watch {
	if w := s.watches[a.ID]; w != nil && w.Turn == turn {
		return w
	}
	w := &watch{Reader: transcript.Open(s.p, *s.state.Session, a, s.mono), stall: stallOf(a, s.window(a)),
		monitor: scopemonitor.New(s.mono, &s.processes), remote: isRemote(a)}
	s.watches[a.ID] = w
	return w
}
