package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSession says that the operation needs an active session and there is none.
var ErrNoSession = errors.New("no session is active")

// TransitionError refuses a change of an agent's state; nothing was written.
type TransitionError struct {
	Agent string
	From  Status
	To    Status // where the event would have led; "" if it never changes a state
	Event Kind
	By    Decider
	// Asked is what a person asked for, where the event is only a part of that, such as "reassigned".
	Asked   string
	Allowed []Transition // what can be done to it now
}

func (e *TransitionError) Error() string {
	who := ""
	if e.By != Person {
		who = " by the " + string(e.By)
	}
	return fmt.Sprintf("%s is %s and cannot be %s%s; %s", e.Agent, e.From.Word(),
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

// SessionError refuses a change of a session's state; nothing was written.
type SessionError struct {
	ID       string
	From, To SessionStatus
	Allowed  []SessionStatus
	Busy     []string // agents that are still SPAWNING or RUNNING where the session would end
}

func (e *SessionError) Error() string {
	if len(e.Busy) > 0 {
		return fmt.Sprintf("session %q cannot become %s while agents work: %s", e.ID, e.To.Word(),
			strings.Join(e.Busy, ", "))
	}
	return fmt.Sprintf("session %q is %s and cannot become %s; it can become: %v", e.ID, e.From.Word(), e.To.Word(),
		e.Allowed)
}

// ActiveSessionError refuses a second session beside an active one.
type ActiveSessionError struct {
	ID     string
	Status SessionStatus
}

func (e *ActiveSessionError) Error() string {
	return fmt.Sprintf("session %q is %s; only one session can be active", e.ID, e.Status.Word())
}

// UnknownAgentError names an agent that the active session does not have.
type UnknownAgentError struct {
	Agent string
	Known []string // names, those nearest to the written one first
}

func (e *UnknownAgentError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("agent %q is unknown; there are no agents", e.Agent)
	}
	return fmt.Sprintf("agent %q is unknown; there are: %s", e.Agent, strings.Join(e.Known, ", "))
}

// AmbiguousAgentError says that a word is the beginning of several agents' names.
type AmbiguousAgentError struct {
	Agent string
	Names []string
}

func (e *AmbiguousAgentError) Error() string {
	return fmt.Sprintf("%q is the beginning of several agents' names: %s", e.Agent, strings.Join(e.Names, ", "))
}

// Fault is one place in the file that cannot be understood.
type Fault struct {
	Line   int // from 1
	Reason string
	Mend   string // what to do about it
	// Conflict says that git left its markers there, of two versions that it could not merge.
	Conflict bool
}

func (f Fault) String() string { return fmt.Sprintf("line %d: %s; %s", f.Line, f.Reason, f.Mend) }

// SyntaxError says that the registry does not parse. It is never overwritten then.
type SyntaxError struct {
	Path   string // "" when bytes were parsed
	Faults []Fault
}

// Conflicted reports whether git left the markers of a conflict in the file.
func (e *SyntaxError) Conflicted() bool {
	return slices.ContainsFunc(e.Faults, func(f Fault) bool { return f.Conflict })
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "registry %q: ", e.Path)
	}
	b.WriteString(e.Faults[0].String())
	if more := len(e.Faults) - 1; more > 0 {
		fmt.Fprintf(&b, " (and %d more faults)", more)
	}
	return b.String()
}

// VersionError says that the registry was written by a newer version of the tool; nothing was touched.
type VersionError struct {
	Path         string
	Line         int // that says so, from 1
	Found, Known int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("registry %q has format %d, written by a newer version; this one knows format %d: use the "+
		"newer version",
		e.Path, e.Found, e.Known)
}
