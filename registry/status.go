package registry

import (
	"slices"
	"strings"
)

// Status is the state of an agent.
type Status string

const (
	// Pending: the subtask is defined; no worktree, branch or process of it exists.
	// The supervisor leaves it when the plan is approved, a slot is free and the dependencies are
	// met; a person may cancel it.
	Pending Status = "PENDING"
	// Spawning: the worktree and the process are being made; either may exist, neither is sure to.
	// The supervisor leaves it with the outcome; a person may cancel it.
	Spawning Status = "SPAWNING"
	// Running: the agent's time counts, and a turn is going on or about to begin.
	// The supervisor leaves it when the turn ends, by what the evidence says; a person may cancel it.
	Running Status = "RUNNING"
	// Checkpoint: no process runs, the worktree waits for review. A person continues it, forces it
	// complete or cancels it; the supervisor continues it in a semi-autonomous session, and fails
	// it if its worktree or branch is gone.
	Checkpoint Status = "CHECKPOINT"
	// Complete: the work is a commit that waits for a landing.
	// Only a person leaves it: by landing, rejecting, or sending it back.
	Complete Status = "COMPLETE"
	// Failed: it cannot go on without a person; its work and branch are kept.
	// A person retries, resumes, salvages, forces or cancels it; the supervisor may respawn it once.
	Failed Status = "FAILED"
	// Merged: its work is in the target.
	// Only a person leaves it, by rolling it back.
	Merged Status = "MERGED"
	// Aborted: cancelled or rejected; its branch is kept. Nobody leaves it.
	Aborted Status = "ABORTED"
)

// statuses lists every status in the order of an agent's life.
func statuses() []Status {
	return []Status{Pending, Spawning, Running, Checkpoint, Complete, Failed, Merged, Aborted}
}

// Word is the state as people read it.
func (s Status) Word() string {
	return map[Status]string{Pending: "queued", Spawning: "starting", Running: "working", Checkpoint: "needs you",
		Complete: "ready", Failed: "failed", Merged: "merged", Aborted: "aborted"}[s]
}

// HasNoChanges reports whether the agent is COMPLETE without any change, so that there is nothing to merge.
func (a Agent) HasNoChanges() bool { return a.Status == Complete && a.Flags.Has(FlagNoChanges) }

// Word is the agent's state as people read it: only work that there is can be ready.
func (a Agent) Word() string {
	if a.HasNoChanges() {
		return "done"
	}
	return a.Status.Word()
}

// Waits is why an agent at a checkpoint waits for a person, in few words.
func (a Agent) Waits() string {
	if a.Question == "" && a.Flags.Has(FlagInterrupted) {
		return "was interrupted and waits for you to go on"
	}
	return "is waiting for your answer"
}

// GoesOnBy is what a person types to have an agent at a checkpoint go on.
func (a Agent) GoesOnBy() string {
	if a.Question == "" && a.Flags.Has(FlagInterrupted) {
		return "delegate continue " + a.Name
	}
	return "delegate continue " + a.Name + ` "ANSWER"`
}

// Ended reports whether the agent's block belongs under Completed Agents: it is MERGED or ABORTED.
func (s Status) Ended() bool { return s == Merged || s == Aborted }

// Decider is who decides a transition.
type Decider string

const (
	// Supervisor is the background process of a session.
	Supervisor Decider = "supervisor"
	// Person is somebody at a terminal.
	Person Decider = "person"
	// SemiAutonomous is the supervisor of a session in which checkpoints pass by themselves.
	// It may do all that Supervisor may.
	SemiAutonomous Decider = "semi-autonomous supervisor"
)

// Transition is one legal change: the event that makes it, and who may.
type Transition struct {
	From, To Status
	Event    Kind
	By       Decider
}

// Transitions returns the whole table, in the order of an agent's life.
//
//	event        from → to                                       who
//	SPAWNING     PENDING → SPAWNING                              supervisor
//	SPAWNED      SPAWNING → RUNNING                              supervisor
//	FAILED       SPAWNING, RUNNING, CHECKPOINT → FAILED          supervisor
//	CHECKPOINT   RUNNING → CHECKPOINT                            supervisor
//	COMPLETE     RUNNING → COMPLETE                              supervisor
//	CONTINUED    CHECKPOINT → RUNNING                            person, semi-autonomous supervisor
//	FORCED       CHECKPOINT, FAILED → COMPLETE                   person
//	MERGED       COMPLETE → MERGED                               person
//	SENT_BACK    COMPLETE → RUNNING                              person
//	TAKEN_OVER   CHECKPOINT, COMPLETE, FAILED → RUNNING          person
//	REJECTED     COMPLETE → ABORTED                              person
//	RETRIED      FAILED → SPAWNING                               person
//	RESPAWNED    FAILED → SPAWNING                               supervisor
//	EXTENDED     FAILED → RUNNING                                person
//	RESUMED      FAILED → RUNNING                                person
//	SALVAGED     FAILED → MERGED                                 person
//	ROLLED_BACK  MERGED → COMPLETE                               person
//	ABORTED      PENDING, SPAWNING, RUNNING, CHECKPOINT,
//	             FAILED → ABORTED                                person
//
// All other events change no state.
// A checkpoint or completion block seen in the middle of a turn is a row of the same name without a transition.
// A dependent whose dependency was rejected is SENT_BACK by the same person's decision.
func Transitions() []Transition {
	return []Transition{
		{Pending, Spawning, EventSpawning, Supervisor},
		{Spawning, Running, EventSpawned, Supervisor},
		{Spawning, Failed, EventFailed, Supervisor},
		{Running, Failed, EventFailed, Supervisor},
		{Checkpoint, Failed, EventFailed, Supervisor},
		{Running, Checkpoint, EventCheckpoint, Supervisor},
		{Running, Complete, EventComplete, Supervisor},
		{Checkpoint, Running, EventContinued, Person},
		{Checkpoint, Running, EventContinued, SemiAutonomous},
		{Checkpoint, Complete, EventForced, Person},
		{Failed, Complete, EventForced, Person},
		{Complete, Merged, EventMerged, Person},
		{Complete, Running, EventSentBack, Person},
		{Complete, Aborted, EventRejected, Person},
		{Checkpoint, Running, EventTakenOver, Person},
		{Complete, Running, EventTakenOver, Person},
		{Failed, Running, EventTakenOver, Person},
		{Failed, Spawning, EventRetried, Person},
		{Failed, Spawning, EventRespawned, Supervisor},
		{Failed, Running, EventExtended, Person},
		{Failed, Running, EventResumed, Person},
		{Failed, Merged, EventSalvaged, Person},
		{Merged, Complete, EventRolledBack, Person},
		{Pending, Aborted, EventAborted, Person},
		{Spawning, Aborted, EventAborted, Person},
		{Running, Aborted, EventAborted, Person},
		{Checkpoint, Aborted, EventAborted, Person},
		{Failed, Aborted, EventAborted, Person},
	}
}

// Next returns the state that event k, decided by who, leads to from a state.
// The error is a *TransitionError without an agent.
func Next(from Status, k Kind, who Decider) (Status, error) {
	refused := &TransitionError{From: from, Event: k, By: who}
	for _, t := range Transitions() {
		if t.Event == k {
			refused.To = t.To
		}
		if t.From != from {
			continue
		}
		if t.Event == k && (t.By == who || t.By == Supervisor && who == SemiAutonomous) {
			return t.To, nil
		}
		refused.Allowed = append(refused.Allowed, t)
	}
	return "", refused
}

// said is an event as what is done to an agent.
func said(k Kind) string { return strings.ToLower(strings.ReplaceAll(string(k), "_", " ")) }

// leadsTo is what is done to an agent, and what that makes of it.
func leadsTo(what string, to Status) string {
	if to != "" && to.Word() != what {
		what += " (to " + to.Word() + ")"
	}
	return what
}

// SessionStatus is the state of a session.
type SessionStatus string

const (
	// SessionActive: agents may be started, run and be reviewed.
	SessionActive SessionStatus = "ACTIVE"
	// SessionMerging: a landing is under way; it goes back to ACTIVE when the landing is done or undone.
	SessionMerging SessionStatus = "MERGING"
	// SessionComplete: ended and archived.
	SessionComplete SessionStatus = "COMPLETE"
	// SessionAborted: cancelled by a person and archived.
	SessionAborted SessionStatus = "ABORTED"
	// The Status field when no session is active.
	sessionNone SessionStatus = "None"
)

// Word is the state as people read it.
func (s SessionStatus) Word() string { return strings.ToLower(string(s)) }

// nextSession reports whether a session may go from one state to another.
// The error is a *SessionError.
func nextSession(id string, from, to SessionStatus) error {
	allowed := map[SessionStatus][]SessionStatus{
		SessionActive:  {SessionMerging, SessionComplete, SessionAborted},
		SessionMerging: {SessionActive},
	}[from]
	if slices.Contains(allowed, to) {
		return nil
	}
	return &SessionError{ID: id, From: from, To: to, Allowed: allowed}
}
