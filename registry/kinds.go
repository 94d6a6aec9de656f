package registry

// Kind is the name of an event. A name that is not listed here is read and preserved; it makes no transition.
type Kind string

// The events that delegate writes. Transitions says which of them change an agent's state.
const (
	EventSessionStarted Kind = "SESSION_STARTED"
	EventApproved       Kind = "APPROVED" // a plan or a landing
	EventSpawning       Kind = "SPAWNING"
	EventSpawned        Kind = "SPAWNED"
	EventCheckpoint     Kind = "CHECKPOINT"
	EventContinued      Kind = "CONTINUED"
	EventComplete       Kind = "COMPLETE"
	EventForced         Kind = "FORCED"
	EventFailed         Kind = "FAILED"
	EventRetried        Kind = "RETRIED"
	EventExtended       Kind = "EXTENDED"
	EventMerged         Kind = "MERGED"
	EventSalvaged       Kind = "SALVAGED"
	EventRejected       Kind = "REJECTED"
	EventSentBack       Kind = "SENT_BACK"
	EventTakenOver      Kind = "TAKEN_OVER" // a person continues the agent's conversation at a terminal
	EventAborted        Kind = "ABORTED"
	EventRolledBack     Kind = "ROLLED_BACK"
	EventNudged         Kind = "NUDGED"
	EventRespawned      Kind = "RESPAWNED"
	EventEscalated      Kind = "ESCALATED"
	EventMessage        Kind = "MESSAGE"
	EventComment        Kind = "COMMENT" // a review comment on a line of the agent's work
	EventInterrupted    Kind = "INTERRUPTED"
	EventResumed        Kind = "RESUMED"
	EventViolation      Kind = "VIOLATION"
	EventScopeChanged   Kind = "SCOPE_CHANGED"
	EventConflict       Kind = "CONFLICT"
	EventResolved       Kind = "RESOLVED"
	EventOverridden     Kind = "OVERRIDDEN"
	EventLate           Kind = "LATE"       // a block that does not count, such as a second completion
	EventIntegrated     Kind = "INTEGRATED" // the agent's work was merged into the integration branch
	// a pull request was opened or updated, or its state changed
	EventPullRequest     Kind = "PULL_REQUEST"
	EventSessionComplete Kind = "SESSION_COMPLETE"
	EventSessionAborted  Kind = "SESSION_ABORTED"
)

// Older spellings are read as today's name; the row itself stays as it was written.
func modern(name string) Kind {
	switch name {
	case "AGENT_SPAWNED":
		return EventSpawned
	case "AGENT_COMPLETE":
		return EventComplete
	case "MERGE_APPROVED":
		return EventApproved
	case "MERGE_COMPLETE":
		return EventMerged
	}
	return Kind(name)
}
