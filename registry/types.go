package registry

import (
	"slices"
	"strings"
	"time"
)

// State is what the registry says, as typed values. It is a copy, which the caller can change.
type State struct {
	Session  *Session          // the active session; nil if there is none
	Agents   []Agent           // all agents of the active session, also ended ones, in the order of their ids
	Events   []Event           // the events of the active session that are not archived yet, oldest first
	Archived []ArchivedSession // the sessions that ended, in the order of the file
	Stats    Statistics        // totals of all sessions

	// Notices and Stashed are not part of the file. The program that stores the registry sets them; Read does not.

	// Notices are sentences for the user, such as that the file had been deleted and was restored.
	Notices []string
	// Stashed means that the file is missing from the checkout because it is in a git stash.
	Stashed bool
}

// Agent returns the agent with the id, which is written like "AGT-001". The error is an *UnknownAgentError.
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

// Ended returns the sessions that ended, sorted by id and so by time. It does not include sessions that were moved from
// the file to the archive.
func (s State) Ended() []ArchivedSession {
	return slices.SortedStableFunc(slices.Values(s.Archived), func(x, y ArchivedSession) int {
		return strings.Compare(x.ID, y.ID)
	})
}

// Session is one delegation. Times are in UTC, rounded down to the second.
type Session struct {
	ID          string        // DEL-YYYYMMDD-HHMMSS
	Created     time.Time     // start of the session
	ParentTask  string        // the title of the plan
	ParentAgent string        // who delegates, such as "Main session"
	Status      SessionStatus // state

	Target       string // the branch that work is merged into
	Base         string // the commit that worktrees start from
	Integration  string // the integration branch of a semi-autonomous session
	PlanApproved string // who approved the plan, and when; "" while it is not approved
	Paused       string // who paused the session so that no turn starts, and when; "" if it is not paused
	BudgetUsedUp bool   // it is paused because its budget is used up
	FinalTests   string // result of the tests at the end of the session: pass, fail or none; "" before, or if aborted

	MaxParallel        int           // number of agents that can run at the same time; 0 means no limit
	AgentTimeout       time.Duration // limit of the time an agent is RUNNING; 0 means no limit
	HumanApproval      bool          // a person approves each merge into the target
	CheckpointInterval time.Duration // how often an agent has to report; 0 means never
	Supervision        string        // SUPERVISED or SEMI-AUTONOMOUS
	Dependencies       string        // the state in which a dependency is met: "merged" or "complete"
	Verify             []string      // shell commands that test a candidate before it is merged
	BudgetAdded        string        // what a person added to the budget of the session
	Sandbox            string        // who switched the kernel's sandbox off, and why; "" if agents run in it
	Approval           string        // "key" if each merge needs a signed approval; "" if a person's answer suffices
}

func (s Session) clone() Session {
	s.Verify = slices.Clone(s.Verify)
	return s
}

// Agent is one subtask and the program that works on it. Times are in UTC, rounded down to the second.
// In the file, most fields are left out if they have their zero value.
type Agent struct {
	ID                 string        // AGT-001, AGT-002, …
	Subtask            string        // title of the subtask
	Status             Status        // state
	Allowed, Forbidden []string      // globs of the paths that the agent may and may not write; see package scope
	Spawned            time.Time     // when its first turn was started
	LastActivity       time.Time     // of its program or of a block, as last recorded
	Checkpoints        int           // number of checkpoint blocks
	LastCheckpoint     time.Time     // when its last checkpoint block was recorded
	Progress           *int          // percent done, of its last block in this attempt that says so; nil if none does
	Question           string        // what it asks a person
	Summary            string        // the end of its last message in its last turn, shortened with "…"
	CommitSubject      string        // subject for a commit of its work, from its last message; "" means Subtask
	Refused            []string      // paths that the sandbox did not let it write in this attempt
	RefusedCalls       []string      // system calls that the sandbox refused in this attempt, such as io_uring_setup
	Blocks             Recorded      // how many of its blocks and its program's refusals are in the event log
	Output             string        // path of its transcript; "" is printed as pending
	Name               string        // short name for the command line, such as rename-inslice; never "" after Read
	Attempt            int           // number of the attempt, from 1
	Turns              int           // number of turns, over all attempts
	Respawns           int           // number of attempts that the supervisor started by itself
	Profile            string        // profile of its agent program in the configuration, such as claude
	Model, Effort      string        // model and effort for its program; "" means what the profile says
	On                 string        // the engine that its turns run on; "" means this machine
	Budget             string        // limit of cost or tokens, such as "2 US$, 5M tokens"; "" means the configured one
	BudgetAdded        string        // what a person added to Budget
	Type, Complexity   string        // fields of the plan, such as STANDARD and Medium
	Description        string        // what is to be done, as its prompt says
	Context            string        // what it should know, as its prompt says
	Dependencies       []string      // ids of the agents whose work it needs
	ExpectedOutputs    []string      // globs of files that exist when the work is done
	Task               string        // the objective in the project's progress file that the subtask fulfils
	Branch             string        // short name of its branch
	Base, Head         string        // commits: where its branch starts, and its work
	Worktree           string        // path of its worktree; in the file, relative to the folder of all worktrees
	FilesModified      []string      // changed files; a renamed file is there with both its names
	RenamedFrom        []string      // old names of renamed files
	Insertions         int           // lines
	Deletions          int           // lines
	Tests              string        // result of the configured tests on its work: pass, fail, none or not_run
	Violations         int           // number of VIOLATION events, such as writes outside of its scope
	TurnViolations     Recorded      // those of its last turn that count for the limit of a turn; see AddViolation
	Errors             int           // number of failures, and of blocks that could not be parsed
	Flags              Flags         // what a reviewer should know
	LastError          string        // why it is FAILED
	RunTime            time.Duration // time RUNNING in turns that ended
	Extended           time.Duration // what a person added to the timeout
	RunningSince       time.Time     // since when it is RUNNING; zero if it is not
	Tokens             int           // number of tokens that its program reported, over all turns
	CachedTokens       int           // those of Tokens that were read from a cache
	OutputTokens       int           // those of Tokens that the model generated
	Cost               Cost          // of its ended turns, as far as its program reported it
	MergeCommit        string        // the commit that merged its work into the target
	MergedOnto         string        // parent of the first commit of its work on the target; "" means MergeCommit^1
	RolledBack         string        // the commit that reverted its work
	Signed             string        // signed statement that approves its last merge or rollback
	PullRequest        PullRequest   // zero if there is none
	Supervision        string        // read and kept, and not set by this version
	AcceptedViolations []string      // read and kept, and not set by this version
	Added              time.Time     // when it was added to a running session; zero if it is from its plan
	Approval           Approval      // of an agent that was added; see NeedsApproval
	BestOf             string        // title of a task that several agents work on, of which one is merged
}

// Approval is the decision of a person about an agent that was added to a running session. It is zero for an agent of
// the session's plan, which Session.PlanApproved covers.
type Approval struct {
	By string    // who approved; "" while nobody did
	At time.Time // when; while nobody approved, since when the agent waits
}

// Pending reports whether the agent waits for approval.
func (a Approval) Pending() bool { return a.By == "" && !a.At.IsZero() }

// NeedsApproval reports whether the agent was added to a running session and nobody approved it, so that it must not
// start. It is true also if a person deleted the line of the approval from the file.
func (a Agent) NeedsApproval() bool {
	return a.Approval.By == "" && (a.Approval.Pending() || !a.Added.IsZero()) // earlier versions did not write Added
}

// ChangedFiles returns the paths of the files that the agent changed, a renamed file by its new path alone.
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

// Cost is an amount of US dollars, 0 if it is unknown.
type Cost struct {
	USD       float64
	Estimated bool // computed from prices, in part at least; in the file, "≈" is in front of the number
}

// PullRequest is the pull request for an agent's work. It is zero if there is none. Several agents can share one.
type PullRequest struct {
	URL    string           // "" if the branch was pushed and no request opened
	Remote string           // name of the git remote
	Branch string           // name of the branch on the remote
	Base   string           // the branch on the remote that it is to be merged into
	State  PullRequestState // "" if there is no request
	Head   string           // the pushed commit; if it was merged, the commit that brought it to the target
	Of     string           // the Head of the agent from which the pushed commit was made
}

// PullRequestState is the state of a pull request.
type PullRequestState string

// The values of PullRequest.State.
const (
	PullRequestOpen   PullRequestState = "open"
	PullRequestMerged PullRequestState = "merged"
	PullRequestClosed PullRequestState = "closed"
)

// String returns the URL, or the branch and the remote if there is no URL.
func (r PullRequest) String() string {
	if r.URL == "" {
		return r.Branch + " on " + r.Remote
	}
	return r.URL
}

// IsPublished reports whether the agent is COMPLETE and the pull request contains its present Head, in any state.
func (a Agent) IsPublished() bool {
	return a.Status == Complete && a.PullRequest.State != "" && a.PullRequest.Of == a.Head
}

// InReview reports whether IsPublished is true and the pull request was not closed without a merge.
func (a Agent) InReview() bool { return a.IsPublished() && a.PullRequest.State != PullRequestClosed }

// AddViolation counts a VIOLATION event, also for the limit of a turn.
func (a *Agent) AddViolation() {
	a.Violations++
	a.TurnViolations = Recorded{Turn: a.Turns, Count: a.LimitCount() + 1}
}

// AddViolationPath counts a VIOLATION event that names another path of the attempt before it.
func (a *Agent) AddViolationPath() { a.Violations++ }

// LimitCount returns how many violations of its last turn count for the limit.
func (a Agent) LimitCount() int {
	if a.TurnViolations.Turn != a.Turns {
		return 0
	}
	return a.TurnViolations.Count
}

// Recorded counts something of one turn.
type Recorded struct {
	Turn  int // number of the turn
	Count int
}

// Event is one row of the event log.
type Event struct {
	Time    time.Time // UTC, rounded down to the second; a zero time is replaced by the time of the change
	Kind    Kind      // name of the event
	Agent   string    // id of the agent; "" if the event is about the session, printed as "-"
	Details string    // free text
	By      string    // who decided; printed after the details as "(by NAME)"
}

// ArchivedSession is the line of an ended session in the registry.
type ArchivedSession struct {
	ID         string        // DEL-YYYYMMDD-HHMMSS
	Status     SessionStatus // SessionComplete or SessionAborted
	ParentTask string        // title of its plan
	Agents     int           // number of its agents
	Link       string        // path of its archive file, relative to the folder of the registry
}

// Statistics are totals of all sessions.
type Statistics struct {
	Sessions   int // started
	Agents     int // defined
	Merged     int // agents that are merged now; a rollback subtracts one
	Failed     int // transitions to FAILED
	Aborted    int // agents that were aborted or rejected
	RolledBack int // rollbacks
	Conflicts  int // CONFLICT events
	Violations int // VIOLATION events
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
