package session

import (
	"slices"

	"delegate/internal/project"
	"delegate/registry"
)

const (
	Supervised     = "SUPERVISED"
	SemiAutonomous = "SEMI-AUTONOMOUS"
)

// IntegrationBranch is the branch of a session that gathers work, "" for one that does not.
func IntegrationBranch(supervision, session string) string {
	if supervision != SemiAutonomous {
		return ""
	}
	return project.IntegrationBranch(session)
}

// Unapproved says whether the stored plan still waits for a person.
func Unapproved(state registry.State) bool {
	return state.Session != nil && state.Session.PlanApproved == ""
}

// StartOver clears what an agent's record says of its last attempt.
func StartOver(a *registry.Agent) {
	a.FilesModified, a.Insertions, a.Deletions, a.Progress = nil, 0, 0, nil
	a.Summary, a.Refused = "", nil
	a.Flags = a.Flags.AfterTurn().Without(registry.FlagCorrectionAsked, registry.FlagOverdue)
}

// Place fills in where an attempt works; the base is decided when the worktree is made, the head begins there.
func Place(p *project.Project, session registry.Session, a *registry.Agent, attempt int) {
	a.Attempt = attempt
	a.Branch = project.Branch(session.ID, a.ID, attempt)
	a.Worktree = p.WorkPath(session.ID, a.ID, attempt)
	a.Base, a.Head = "", ""
}

const BySupervisor = "supervisor"

// InParallel counts the agents that hold a slot.
func InParallel(state registry.State) int {
	n := 0
	for _, a := range state.Agents {
		if a.Status == registry.Spawning || a.Status == registry.Running {
			n++
		}
	}
	return n
}

// WaitsFor lists the dependencies that are not met: those not MERGED, or not even COMPLETE where
// that is enough by configuration.
func WaitsFor(state registry.State, a registry.Agent) []registry.Agent {
	var open []registry.Agent
	for _, other := range state.Agents {
		if !slices.Contains(a.Dependencies, other.ID) || other.Status == registry.Merged {
			continue
		}
		if state.Session.Dependencies == "complete" && other.Status == registry.Complete {
			continue
		}
		open = append(open, other)
	}
	return open
}

// MayStart says whether a PENDING agent could be started now: plan approved, session not paused, a
// slot free, dependencies met.
func MayStart(state registry.State, a registry.Agent) bool {
	if a.Status != registry.Pending || state.Session.PlanApproved == "" || state.Session.Paused != "" ||
		state.Session.Status != registry.SessionActive {
		return false
	}
	free := state.Session.MaxParallel == 0 || InParallel(state) < state.Session.MaxParallel
	return free && len(WaitsFor(state, a)) == 0
}

// IsRecorded reports whether the very row is in the log already, as after a supervisor that died in between.
func IsRecorded(state registry.State, e registry.Event) bool {
	return slices.ContainsFunc(state.Events, func(old registry.Event) bool {
		return old.Agent == e.Agent && old.Kind == e.Kind && old.Details == e.Details
	})
}
