package session

import (
	"strconv"
	"time"

	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/transcript"
	"delegate/registry"
)

// Elapsed is the agent's RUNNING time so far.
func Elapsed(p *project.Project, session string, a registry.Agent) time.Duration {
	if a.Status != registry.Running || a.RunningSince.IsZero() {
		return a.RunTime
	}
	turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, a.Turns)}
	return a.RunTime + transcript.Worked(turn, p.Now())
}

// TimeLimit is the RUNNING time an agent has, 0 for no limit.
func TimeLimit(session time.Duration, a registry.Agent) time.Duration {
	if session == 0 {
		return 0
	}
	return session + a.Extended
}

// AddRunTime adds the running time of a turn that is over.
func AddRunTime(worked time.Duration, now time.Time) func(*registry.Agent) {
	return func(a *registry.Agent) {
		a.RunTime += worked.Round(time.Second)
		a.RunningSince, a.LastActivity = time.Time{}, now
	}
}

// Cost is what the agent cost so far, in US dollars.
func Cost(a registry.Agent) float64 {
	value, err := strconv.ParseFloat(a.Cost, 64)
	if err != nil {
		return 0
	}
	return value
}
