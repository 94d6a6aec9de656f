package registry

import (
	"slices"
	"strings"
)

// Status is the state of an agent. Transitions lists how it changes.
type Status string

// The states of an agent. Each comment says what is true in the state and who can change it.
const (
	// Pending: the subtask is defined; no worktree, branch or process of it exists.
	// The supervisor leaves it when the plan is approved, a slot is free and the dependencies are
	// met; a person may cancel it.
	Pending Status = "PENDING"
	// Spawning: the supervisor creates the worktree and starts the process; each of them may exist already.
	// The supervisor ends the state by RUNNING or FAILED; a person may cancel it.
	Spawning Status = "SPAWNING"
	// Running: a turn runs or is about to start, and its time counts towards the timeout.
	// The supervisor ends the state when the turn ends; a person may cancel it.
	Running Status = "RUNNING"
	// Checkpoint: no process runs, and the work waits for a review. A person continues the agent, forces it
	// complete or cancels it; the supervisor continues it in a semi-autonomous session, and fails
	// it if its worktree or branch does not exist any more.
	Checkpoint Status = "CHECKPOINT"
	// Complete: the work is a commit that waits to be merged.
	// Only a person ends the state: by a merge, a rejection, or by sending the agent back to work.
	Complete Status = "COMPLETE"
	// Failed: the agent cannot go on without a person. Its work and branch remain.
	// A person retries, resumes, salvages, forces or cancels it; the supervisor may respawn it once.
	Failed Status = "FAILED"
	// Merged: the work is in the target.
	// Only a person ends the state, by a rollback.
	Merged Status = "MERGED"
	// Aborted: a person cancelled the agent or rejected its work. Its branch remains. The state is final.
	Aborted Status = "ABORTED"
)

// statuses lists every status in the order of an agent's life.
func statuses() []Status {
	return []Status{Pending, Spawning, Running, Checkpoint, Complete, Failed, Merged, Aborted}
}

// Word returns the state in the words of the command line, such as "queued" for PENDING.
func (s Status) Word() string {
	return map[Status]string{Pending: "queued", Spawning: "starting", Running: "working", Checkpoint: "needs you",
		Complete: "ready", Failed: "failed", Merged: "merged", Aborted: "aborted"}[s]
}

// Is returns the state as the predicate of a sentence, such as "is queued" for PENDING and "needs you" for CHECKPOINT.
func (s Status) Is() string {
	if s == Checkpoint {
		return s.Word()
	}
	return "is " + s.Word()
}

// HasNoChanges reports whether the agent is COMPLETE and changed no file, so that there is nothing to merge.
func (a Agent) HasNoChanges() bool {
	return a.Status == Complete && a.Flags.Has(FlagNoChanges) && !a.IsUnsaved()
}

// IsUnsaved reports whether the agent is COMPLETE and its head lacks files of its worktree: it cannot be merged then.
func (a Agent) IsUnsaved() bool { return a.Status == Complete && a.Flags.Has(FlagSnapshotIncomplete) }

// Word returns the state of the agent in the words of the command line. It differs from Status.Word for an agent that
// HasNoChanges or IsUnsaved: "done" or "not saved" instead of "ready".
func (a Agent) Word() string {
	switch {
	case a.IsUnsaved():
		return "not saved"
	case a.HasNoChanges():
		return "done"
	}
	return a.Status.Word()
}

// Ended reports whether the state is MERGED or ABORTED. The file lists such agents under "Completed Agents".
func (s Status) Ended() bool { return s == Merged || s == Aborted }

// Decider says who decides a transition.
type Decider string

// The deciders of transitions.
const (
	// Supervisor is the background process of a session.
	Supervisor Decider = "supervisor"
	// Person is a user at a terminal.
	Person Decider = "person"
	// SemiAutonomous is the supervisor of a session that continues agents at checkpoints without asking.
	// It may do everything that Supervisor may.
	SemiAutonomous Decider = "semi-autonomous supervisor"
)

// Transition is one legal change of an agent's state.
type Transition struct {
	From, To Status  // states before and after
	Event    Kind    // the event that causes it
	By       Decider // who may decide it
}

// Transitions returns all legal transitions, a new slice for each call.
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
// For a checkpoint or completion block in the middle of a turn, Tx.Record adds an event of the same name without a
// transition. If a person rejects an agent, the agents that depend on it are SENT_BACK by the same decision.
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

// Next returns the state after event k in the state from, if who decides it.
// If that is not legal, the error is a *TransitionError with an empty Agent.
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

// The states of a session.
const (
	// SessionActive: agents can start, run and be reviewed.
	SessionActive SessionStatus = "ACTIVE"
	// SessionMerging: a merge into the target has started. The session is ACTIVE again when it is done or undone.
	SessionMerging SessionStatus = "MERGING"
	// SessionComplete: the session ended and is archived.
	SessionComplete SessionStatus = "COMPLETE"
	// SessionAborted: a person cancelled the session, and it is archived.
	SessionAborted SessionStatus = "ABORTED"
	// The Status field when no session is active.
	sessionNone SessionStatus = "None"
)

// Word returns the state in lower case, as the command line prints it.
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
