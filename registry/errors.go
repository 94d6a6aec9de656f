package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/text/spelling"
)

// ErrNoSession means that the operation needs an active session and there is none.
var ErrNoSession = errors.New("no session is active")

// TransitionError means that an event is not legal in the present state of an agent. Nothing was changed.
type TransitionError struct {
	Agent string  // id or name
	From  Status  // the present state
	To    Status  // a state that the event leads to from other states; "" if it never changes a state
	Event Kind    // the refused event
	By    Decider // who decided it
	Asked string  // what a person asked for, if the event is only a part of that, such as "reassigned"; else ""
	// Allowed are the transitions that are legal in the state From.
	Allowed []Transition
}

// Error says what was refused, and which commands or events are possible instead.
func (e *TransitionError) Error() string {
	who := ""
	if e.By != Person {
		who = " by the " + string(e.By)
	}
	return fmt.Sprintf("%s %s and cannot be %s%s; %s", e.Agent, e.From.Is(),
		leadsTo(cmp.Or(e.Asked, said(e.Event)), e.To), who, e.allowed())
}

// allowed is what can be done to the agent now: for a person the commands, for the supervisor the transitions.
func (e *TransitionError) allowed() string {
	var ways []string
	if e.By != Person {
		for _, t := range e.Allowed {
			ways = append(ways, leadsTo(said(t.Event), t.To)+" by the "+string(t.By))
		}
		if len(ways) == 0 {
			return "nothing else can be done to it"
		}
		return "it can be " + strings.Join(ways, ", ")
	}
	if e.From == Running { // what changes no state
		ways = append(ways, "delegate message", "delegate interrupt")
	}
	for _, t := range e.Allowed {
		if way := commandOf(t.Event); t.By == Person && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	if len(ways) == 0 {
		return "no command changes it any more"
	}
	return "you can type for it: " + strings.Join(ways, ", ")
}

// commandOf is the command by which a person makes the event happen to an agent, "" where none does.
func commandOf(k Kind) string {
	switch k {
	case EventContinued:
		return "delegate continue"
	case EventForced:
		return "delegate force-complete"
	case EventMerged, EventSalvaged:
		return "delegate sync merge"
	case EventSentBack, EventResumed:
		return "delegate message"
	case EventTakenOver:
		return "delegate takeover"
	case EventRetried:
		return "delegate retry"
	case EventExtended:
		return "delegate extend"
	case EventRolledBack:
		return "delegate sync rollback"
	case EventAborted, EventRejected:
		return "delegate abort"
	}
	return ""
}

// SessionError means that a change of the session's state is not legal. Nothing was changed.
type SessionError struct {
	ID       string          // of the session
	From, To SessionStatus   // the present state, and the one that was refused
	Allowed  []SessionStatus // the states that are legal after From
	Busy     []string        // ids of agents that are SPAWNING or RUNNING and so prevent the end of the session
}

// Error says what was refused and why.
func (e *SessionError) Error() string {
	if len(e.Busy) > 0 {
		return fmt.Sprintf("session %q cannot become %s while agents work: %s", e.ID, e.To.Word(),
			strings.Join(e.Busy, ", "))
	}
	return fmt.Sprintf("session %q is %s and cannot become %s; it can become: %v", e.ID, e.From.Word(), e.To.Word(),
		e.Allowed)
}

// ActiveSessionError means that Tx.StartSession was called while a session is active.
type ActiveSessionError struct {
	ID     string        // of the active session
	Status SessionStatus // of the active session
}

// Error names the active session.
func (e *ActiveSessionError) Error() string {
	return fmt.Sprintf("session %q is %s; only one session can be active", e.ID, e.Status.Word())
}

// UnknownAgentError means that the active session has no agent with that id or name.
type UnknownAgentError struct {
	Agent string   // the id or name that was asked for
	Known []string // names of all agents, in the order of their ids
}

// Error lists the names that are known, and says which of them may be meant.
func (e *UnknownAgentError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("agent %q is unknown; there are no agents", e.Agent)
	}
	words := fmt.Sprintf("agent %q is unknown; there are: %s", e.Agent, strings.Join(e.Known, ", "))
	if near := spelling.Nearest(e.Agent, e.Known); near != "" {
		words += "; did you mean " + near + "?"
	}
	return words
}

// AmbiguousAgentError means that the names of several agents begin with a word.
type AmbiguousAgentError struct {
	Agent string   // the word
	Names []string // the names that begin with it
}

// Error lists the names.
func (e *AmbiguousAgentError) Error() string {
	return fmt.Sprintf("%q is the beginning of several agents' names: %s", e.Agent, strings.Join(e.Names, ", "))
}

// Fault is one place in the file that does not parse.
type Fault struct {
	Line     int    // from 1
	Reason   string // what is wrong
	Mend     string // how to correct it
	Conflict bool   // the line is a conflict marker of git
}

// String returns the line, the reason and how to correct it.
func (f Fault) String() string { return fmt.Sprintf("line %d: %s; %s", f.Line, f.Reason, f.Mend) }

// SyntaxError means that the registry does not parse. A program that gets it must not overwrite the file.
type SyntaxError struct {
	Path   string  // of the file; "" if Parse was called
	Faults []Fault // all faults in the order of their lines, at least one
}

// Conflicted reports whether the file contains conflict markers of git.
func (e *SyntaxError) Conflicted() bool {
	return slices.ContainsFunc(e.Faults, func(f Fault) bool { return f.Conflict })
}

// Error returns the first fault and the number of others.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "registry %q: ", e.Path)
	}
	b.WriteString(e.Faults[0].String())
	switch more := len(e.Faults) - 1; {
	case more == 1:
		b.WriteString(" (and 1 more fault)")
	case more > 1:
		fmt.Fprintf(&b, " (and %d more faults)", more)
	}
	return b.String()
}

// VersionError means that a newer version of delegate wrote the registry, in a format that this version does not know.
type VersionError struct {
	Path  string // of the file; "" if Parse was called
	Line  int    // the line with the format number, from 1
	Found int    // the format of the file
	Known int    // the newest format that this version reads
}

// Error says which formats were found and are known.
func (e *VersionError) Error() string {
	return fmt.Sprintf("registry %q has format %d, written by a newer version; this one knows format %d: use the "+
		"newer version",
		e.Path, e.Found, e.Known)
}
