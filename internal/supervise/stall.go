package supervise

import (
	"time"

	"delegate/registry"
)

// stallLevel is how far supervision has gone with an agent that shows no sign of life.
type stallLevel int

const (
	calm      stallLevel = iota
	nudged               // a line in its folder asked for one
	escalated            // a person was called; the agent goes on
)

// stallAction is what is to be done next.
type stallAction int

const (
	leaveIt stallAction = iota
	nudge
	respawn
	escalate
)

// stall is the patience with one turn: nudge, respawn once, then a person.
type stall struct {
	at     stallLevel
	quiet  time.Duration // without a sign of life
	nudged time.Duration // of quiet since the nudge
}

// blink is the most that one look adds: what happened while this process did not look is not held against the agent.
const blink = 5 * time.Second

// pass takes in the time since the last look, in which the agent showed a sign of life or none.
// It reports whether an agent that was nudged or given to a person came back to life.
func (l *stall) pass(gap time.Duration, alive bool) (revived bool) {
	if alive {
		revived = l.at != calm
		*l = stall{}
		return revived
	}
	gap = min(gap, blink)
	l.quiet += gap
	if l.at == nudged {
		l.nudged += gap
	}
	return false
}

// stallLimits bound the patience with one agent. A window of 0 is endless.
type stallLimits struct {
	window, grace time.Duration
	mayRespawn    bool
}

// next is the action that is due now.
func (l *stall) next(p stallLimits) stallAction {
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

// stallOf is where an earlier supervisor left the agent, as its flags say. Its quiet is not known
// any more; only a new silence counts, which for one that was nudged needs no second window.
func stallOf(a registry.Agent, window time.Duration) stall {
	switch {
	case a.Flags.Has(registry.FlagStalled):
		return stall{at: escalated}
	case a.Flags.Has(registry.FlagNudged):
		return stall{at: nudged, quiet: window}
	}
	return stall{}
}
