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
	FinalTests   string // pass, fail or none: of the tree that it ended with; "": it goes on, or was aborted

	MaxParallel        int           // 0: no limit
	AgentTimeout       time.Duration // RUNNING time of one agent; 0: off
	HumanApproval      bool
	CheckpointInterval time.Duration // 0: off
	Supervision        string        // SUPERVISED or SEMI-AUTONOMOUS
	Dependencies       string        // merged or complete: when a dependency is met
	Verify             []string      // commands
	BudgetAdded        string        // what a person added to the session's budget
	// "": agents are held in by the kernel; else who started them without that, and why
	Sandbox string
	// Approval is "key" where each landing has to be signed, "" where a person's answer is enough.
	Approval string
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
	Progress *int
	Question string // what it waits for an answer to
	Summary  string // how it closed its last turn, in its own words, cut visibly
	// of a commit with its work, as it says itself where that is no output of its tools; "": the title of its subtask
	CommitSubject      string
	Refused            []string // paths that it was refused to write in this attempt
	RefusedCalls       []string // system calls that it was refused in this attempt, such as io_uring_setup
	Blocks             Recorded // blocks that have their rows
	Output             string   // path of the transcript; "" is printed as pending
	Name               string   // what people call it, such as rename-inslice; read, it is never ""
	Attempt            int
	Turns              int
	Respawns           int
	Profile            string // the agent program
	Model, Effort      string // for its program, "" for what the profile says
	On                 string // the engine that its turns run on, "" for this machine
	Budget             string // what it may use up, such as 2 US$, 5M tokens; "" for what the configuration says
	BudgetAdded        string // what a person added to that
	Type, Complexity   string
	Description        string
	Context            string
	Dependencies       []string // agent ids
	ExpectedOutputs    []string
	Task               string
	Branch, Base, Head string
	Worktree           string
	FilesModified      []string // both names of those that were renamed
	RenamedFrom        []string // their old names
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
	CachedTokens       int    // of these, what was read from a cache
	OutputTokens       int    // of these, what its model answered
	Cost               string // in US dollars, as a decimal number, behind a ≈ if computed; "" if none is known
	MergeCommit        string
	MergedOnto         string // what its first landed commit lies on, where MergeCommit is not that one
	RolledBack         string // the commit that reverted it
	Signed             string // the statement by which its last landing or rollback was approved, and its signature
	PullRequest        PullRequest
	Supervision        string
	AcceptedViolations []string
	// Added is when it joined the session as a task of its own, zero for an agent of the session's plan. Such an agent
	// starts only with an Approval of its own, also where the line of that is gone.
	Added    time.Time
	Approval Approval // of one that was added to the session
	BestOf   string   // the title of a task that several agents were given, of which one is merged
}

// Approval is a person's answer to an agent that was added to a session. The zero one is that of an
// agent of the session's plan, whose answer is the session's.
type Approval struct {
	By string    // who said yes; "": nobody yet
	At time.Time // when; as long as nobody did, since when it waits
}

// Pending says that the agent waits for a person's yes.
func (a Approval) Pending() bool { return a.By == "" && !a.At.IsZero() }

// NeedsApproval reports whether the agent was added to its session and nobody said yes to it. Earlier versions wrote
// the Approval of an added agent alone.
func (a Agent) NeedsApproval() bool {
	return a.Approval.By == "" && (a.Approval.Pending() || !a.Added.IsZero())
}

// ChangedFiles are the files that its work changes, a renamed one once and by its new name.
func (a Agent) ChangedFiles() []string {
	return slices.DeleteFunc(slices.Clone(a.FilesModified), func(path string) bool {
		return slices.Contains(a.RenamedFrom, path)
	})
}

func (a Agent) clone() Agent {
	for _, list := range []*[]string{
		&a.Allowed, &a.Forbidden, &a.Dependencies, &a.ExpectedOutputs,
		&a.FilesModified, &a.RenamedFrom, &a.AcceptedViolations, &a.Refused, &a.RefusedCalls,
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

// PullRequest is where an agent's work is reviewed by others before it is merged; zero if nowhere. Several agents may
// have the same.
type PullRequest struct {
	URL    string // "" where only the branch was pushed
	Remote string // the remote's name
	Branch string // that was pushed there
	Base   string // the branch there that it is to be merged into
	State  PullRequestState
	Head   string // the commit that was pushed; of a merged one, by which the target got it
	Of     string // the agent's head that the commit was made of
}

// PullRequestState is what became of a pull request.
type PullRequestState string

// The states of a pull request; "" stands for no request.
const (
	PullRequestOpen   PullRequestState = "open"
	PullRequestMerged PullRequestState = "merged"
	PullRequestClosed PullRequestState = "closed"
)

// String is the request as people know it: its address, or the branch that was pushed.
func (r PullRequest) String() string {
	if r.URL == "" {
		return r.Branch + " on " + r.Remote
	}
	return r.URL
}

// IsPublished reports whether all of an agent's finished work is in a pull request, whatever became of that.
func (a Agent) IsPublished() bool {
	return a.Status == Complete && a.PullRequest.State != "" && a.PullRequest.Of == a.Head
}

// InReview reports whether others decide about all of an agent's finished work.
func (a Agent) InReview() bool { return a.IsPublished() && a.PullRequest.State != PullRequestClosed }

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
