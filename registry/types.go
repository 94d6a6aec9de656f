package registry

import (
	"slices"
	"strings"
	"time"
)

// State is everything the registry says, as plain values that a caller may change freely.
type State struct {
	Session  *Session // nil: no session is active
	Agents   []Agent  // of the active session in the order of their ids; ended ones too
	Events   []Event  // the active session's rows that are still in the file, oldest first
	Archived []ArchivedSession
	Stats    Statistics
	// Notices are sentences for the person: the file vanished or jumped back and was restored, and the like.
	Notices []string
	// Stashed says that the file is in a stash of git. The record goes on without it until that is popped or dropped.
	Stashed bool
}

// Agent returns the agent with an id.
// The error is an *UnknownAgentError.
func (s State) Agent(id string) (Agent, error) {
	i := slices.IndexFunc(s.Agents, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		return Agent{}, s.unknown(id)
	}
	return s.Agents[i], nil
}

func (s State) clone() State {
	out := s
	if s.Session != nil {
		session := s.Session.clone()
		out.Session = &session
	}
	out.Agents = nil
	for _, a := range s.Agents {
		out.Agents = append(out.Agents, a.clone())
	}
	out.Events = slices.Clone(s.Events)
	out.Archived = slices.Clone(s.Archived)
	out.Notices = slices.Clone(s.Notices)
	return out
}

// Ended lists the sessions that ended, the last one last. Older ones that the registry's file no
// longer names are left out.
func (s State) Ended() []ArchivedSession {
	return slices.SortedStableFunc(slices.Values(s.Archived), func(x, y ArchivedSession) int {
		return strings.Compare(x.ID, y.ID)
	})
}

// Session is one delegation.
// Times are kept in UTC to the second.
type Session struct {
	ID          string // DEL-YYYYMMDD-HHMMSS
	Created     time.Time
	ParentTask  string
	ParentAgent string
	Status      SessionStatus

	Target       string // the branch that landings go to
	Base         string // the commit that worktrees start from
	Integration  string // the integration branch of a semi-autonomous session
	PlanApproved string // "": pending; else who and when
	Paused       string // "": turns are started; else who had that stop, and when

	MaxParallel        int           // 0: no limit
	AgentTimeout       time.Duration // RUNNING time of one agent; 0: off
	HumanApproval      bool
	CheckpointInterval time.Duration // 0: off
	Supervision        string        // SUPERVISED or SEMI-AUTONOMOUS
	Dependencies       string        // merged or complete: when a dependency is met
	Verify             []string      // commands
	// "": agents are held in by the kernel; else who started them without that, and why
	Sandbox string
}

func (s Session) clone() Session {
	s.Verify = slices.Clone(s.Verify)
	return s
}

// Agent is one delegated subtask and whoever works on it.
// Times are kept in UTC to the second; an empty field is not printed unless the layout always has it.
type Agent struct {
	ID                 string // AGT-001
	Subtask            string
	Status             Status
	Allowed, Forbidden []string // globs
	Spawned            time.Time
	LastActivity       time.Time
	Checkpoints        int
	LastCheckpoint     time.Time
	// of its work, in percent, by the last block of its attempt that says so; nil: none does
	Progress           *int
	Question           string   // what it waits for an answer to
	Summary            string   // how it closed its last turn, in its own words, cut visibly
	Refused            []string // paths that it was refused to write in this attempt, as far as its output says
	Blocks             Recorded // blocks that have their rows
	Output             string   // path of the transcript; "" is printed as pending
	Name               string   // what people call it, such as rename-inslice; read, it is never ""
	Attempt            int
	Turns              int
	Respawns           int
	Profile            string // the agent program
	Type, Complexity   string
	Description        string
	Context            string
	Dependencies       []string // agent ids
	ExpectedOutputs    []string
	Task               string
	Branch, Base, Head string
	Worktree           string
	FilesModified      []string
	Insertions         int
	Deletions          int
	Tests              string // pass, fail, none or not_run
	Violations         int
	Errors             int
	Flags              Flags
	LastError          string
	RunTime            time.Duration // RUNNING time of ended turns
	Extended           time.Duration // what a person added to the timeout
	RunningSince       time.Time
	Tokens             int    // reported by the program, over all turns
	Cost               string // in US dollars, as a decimal number; "" if none was reported
	MergeCommit        string
	MergedOnto         string // what its first landed commit lies on, where MergeCommit is not that one
	RolledBack         string // the commit that reverted it
	Supervision        string
	AcceptedViolations []string
}

func (a Agent) clone() Agent {
	for _, list := range []*[]string{
		&a.Allowed, &a.Forbidden, &a.Dependencies, &a.ExpectedOutputs,
		&a.FilesModified, &a.AcceptedViolations, &a.Refused,
	} {
		*list = slices.Clone(*list)
	}
	a.Flags = slices.Clone(a.Flags)
	if a.Progress != nil {
		progress := *a.Progress
		a.Progress = &progress
	}
	return a
}

// Recorded counts what has been recorded of one turn.
type Recorded struct{ Turn, Count int }

// Event is one row of the log.
type Event struct {
	Time    time.Time // UTC, to the second; the store fills in a zero one
	Kind    Kind
	Agent   string // "": the session, printed as "-"
	Details string
	By      string // who decided; printed behind the details as "(by NAME)"
}

// ArchivedSession is the line that an ended session leaves in the registry.
type ArchivedSession struct {
	ID         string
	Status     SessionStatus
	ParentTask string
	Agents     int
	Link       string // of its file, relative to the registry's folder
}

// Statistics are totals over all sessions, counted as events happen. Merged are agents: one that was
// merged, rolled back and merged again counts one there, and one under RolledBack.
type Statistics struct {
	Sessions   int
	Agents     int
	Merged     int
	Failed     int
	Aborted    int
	RolledBack int
	Conflicts  int
	Violations int
}

// moved counts a transition.
func (s *Statistics) moved(k Kind) {
	switch k {
	case EventMerged, EventSalvaged:
		s.Merged++
	case EventFailed:
		s.Failed++
	case EventAborted, EventRejected:
		s.Aborted++
	case EventRolledBack:
		s.RolledBack++
		s.Merged = max(0, s.Merged-1)
	}
}

// seen counts a row that may come without a transition.
func (s *Statistics) seen(k Kind) {
	switch k {
	case EventConflict:
		s.Conflicts++
	case EventViolation:
		s.Violations++
	}
}
