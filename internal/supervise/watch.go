package supervise

import (
	"time"

	"delegate/internal/keeper"
	"delegate/internal/scopemonitor"
	"delegate/internal/transcript"
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
	violations  int           // of the agent when its occasions were counted last
	refusalsDue time.Duration // by the supervisor's clock
}

// watchOf is the watch of an agent's last turn.
func (s *supervisor) watchOf(a registry.Agent, turn keeper.Turn) *watch {
	if w := s.watches[a.ID]; w != nil && w.Turn == turn {
		return w
	}
	w := &watch{Reader: transcript.Open(s.p, *s.state.Session, a, s.mono), stall: stallOf(a, s.window(a)),
		monitor: scopemonitor.New(s.mono)}
	s.watches[a.ID] = w
	return w
}
