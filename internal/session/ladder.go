package session

import (
	"time"

	"delegate/registry"
)

// rung is how far supervision has gone with an agent that shows no sign of life.
type rung int

const (
	calm      rung = iota
	nudged         // a line on its desk asked for one
	escalated      // a person was called; the agent goes on
)

// measure is what the ladder asks for next.
type measure int

const (
	leaveIt measure = iota
	nudge
	respawn
	escalate
)

// ladder is the patience with one turn: nudge, respawn once, then a person.
type ladder struct {
	at     rung
	quiet  time.Duration // without a sign of life
	nudged time.Duration // of quiet since the nudge
}

// blink is the most that one look adds: what happened while this process did not look is not held against the agent.
const blink = 5 * time.Second

// pass takes in the time since the last look, in which the agent showed a sign of life or none.
// It reports whether an agent that was nudged or given to a person came back to life.
func (l *ladder) pass(gap time.Duration, alive bool) (revived bool) {
	if alive {
		revived = l.at != calm
		*l = ladder{}
		return revived
	}
	gap = min(gap, blink)
	l.quiet += gap
	if l.at == nudged {
		l.nudged += gap
	}
	return false
}

// terms bound the ladder for one agent. A window of 0 is endless.
type terms struct {
	window, grace time.Duration
	mayRespawn    bool
}

// next is the measure that is due now.
func (l *ladder) next(p terms) measure {
	switch {
	case p.window == 0 || l.quiet < p.window || l.at == escalated:
		return leaveIt
	case l.at == calm:
		l.at = nudged
		return nudge
	case l.nudged < p.grace:
		return leaveIt
	case p.mayRespawn:
		return respawn
	}
	l.at = escalated
	return escalate
}

// ladderOf is where an earlier supervisor left the agent, as its flags say. Its quiet is not known
// any more; only a new silence counts,
// which for one that was nudged needs no second window.
func ladderOf(a registry.Agent, window time.Duration) ladder {
	switch {
	case a.Flags.Has(registry.FlagStalled):
		return ladder{at: escalated}
	case a.Flags.Has(registry.FlagNudged):
		return ladder{at: nudged, quiet: window}
	}
	return ladder{}
}
