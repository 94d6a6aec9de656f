package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// Gathered are the agents whose work is on the session's integration branch and waits there for the landing.
func Gathered(state registry.State) []string {
	var ids []string
	for _, a := range state.Agents {
		if a.Status == registry.Complete && a.Flags.Has(registry.FlagIntegrated) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// AgentView is an agent as every reading command shows it.
type AgentView struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Subtask          string          `json:"subtask"`
	Status           registry.Status `json:"status"`
	Attempt          int             `json:"attempt"`
	Branch           string          `json:"branch"`
	Base             string          `json:"base"`
	Head             string          `json:"head"`
	Worktree         string          `json:"worktree"`
	Scope            ScopeView       `json:"scope"`
	FilesChanged     int             `json:"files_changed"`
	Insertions       int             `json:"insertions"`
	Deletions        int             `json:"deletions"`
	Tests            string          `json:"tests"` // pass, fail, none or not_run
	Checkpoints      int             `json:"checkpoints"`
	Violations       int             `json:"violations"`
	Refused          []string        `json:"refused"` // paths that it was refused to write, as far as its output says
	StartedAt        *time.Time      `json:"started_at"`
	LastActivity     *time.Time      `json:"last_activity"`
	ElapsedSeconds   int             `json:"elapsed_seconds"`
	RemainingSeconds *int            `json:"remaining_seconds"` // null: no limit
	Flags            []string        `json:"flags"`
	Turns            int             `json:"turns"`
	Errors           int             `json:"errors"`
	Queued           int             `json:"queued_messages"` // that no turn has been given yet
	LastError        string          `json:"last_error"`
	Question         string          `json:"question"`    // what it waits for an answer to
	Progress         int             `json:"progress"`    // in percent, as it says; -1: it did not say
	WaitingFor       []string        `json:"waiting_for"` // unmet dependencies of a PENDING agent
	Output           string          `json:"output"`
	Program          string          `json:"program"`
	Type             string          `json:"type"`
	Task             string          `json:"task"`      // objective of the progress file that it has claimed
	Collected        bool            `json:"collected"` // its last result was fetched by somebody, or there is none
	Tokens           int             `json:"tokens"`    // reported by its program
	CostUSD          float64         `json:"cost_usd"`
}

// ScopeView is what an agent may write.
type ScopeView struct {
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden"`
}

// View is the agent now: what the registry says, and for a running one what its worktree and transcript show.
func View(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) AgentView {
	v := Peek(p, state, a)
	if a.Status == registry.Running {
		addWork(ctx, p, state, a, &v)
	}
	return v
}

// Peek is View without a look at the worktree, for whoever looks often: of a running agent, head,
// files and lines are as they were when its turn began.
func Peek(p *project.Project, state registry.State, a registry.Agent) AgentView {
	v := AgentView{
		ID: a.ID, Name: a.Name, Subtask: a.Subtask, Status: a.Status, Attempt: a.Attempt, Branch: a.Branch,
		Base: a.Base, Head: a.Head, Worktree: a.Worktree,
		Scope:        ScopeView{Allowed: list(a.Allowed), Forbidden: list(a.Forbidden)},
		FilesChanged: len(a.FilesModified), Insertions: a.Insertions, Deletions: a.Deletions,
		Tests:       session.OrElse(a.Tests, "not_run"),
		Checkpoints: a.Checkpoints, Violations: a.Violations, Refused: list(a.Refused), StartedAt: moment(a.Spawned),
		LastActivity: moment(a.LastActivity),
		Flags:        a.Flags.Texts(), Turns: a.Turns, Errors: a.Errors, LastError: a.LastError, Question: a.Question,
		Progress:   -1,
		WaitingFor: []string{}, Output: a.Output,
		Program: a.Profile, Type: a.Type, Task: a.Task, Collected: p.Collected(state.Session.ID, a), Tokens: a.Tokens,
		CostUSD: session.Cost(a),
	}
	if a.Progress != nil {
		v.Progress = *a.Progress
	}
	if messages, err := session.Queue(p, state.Session.ID, a.ID); err == nil {
		v.Queued = len(messages)
	}
	v.ElapsedSeconds = int(session.Elapsed(p, state.Session.ID, a).Seconds())
	if limit := session.TimeLimit(state.Session.AgentTimeout, a); limit > 0 {
		left := int(max(0, limit-session.Elapsed(p, state.Session.ID, a)).Seconds())
		v.RemainingSeconds = &left
	}
	if a.Status == registry.Pending {
		for _, open := range session.WaitsFor(state, a) {
			v.WaitingFor = append(v.WaitingFor, open.ID)
		}
	}
	if a.Status == registry.Running {
		addTranscript(p, state, a, &v)
	}
	return v
}

// addTranscript looks at what a running agent printed. What cannot be read now stays as the registry has it.
func addTranscript(p *project.Project, state registry.State, a registry.Agent, v *AgentView) {
	turn := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}
	v.Output = turn.Readable()
	usage := agentdir.Dir(p.AgentDir(state.Session.ID, a.ID)).Usage()
	v.Tokens, v.CostUSD = v.Tokens+usage.Tokens(), v.CostUSD+usage.CostUSD
	if info, err := os.Stat(turn.Output()); err == nil &&
		(v.LastActivity == nil || info.ModTime().After(*v.LastActivity)) {
		v.LastActivity = moment(info.ModTime())
	}
}

// previewLimit is how long a reading command waits for a look at the work of one agent, which
// somebody else may be looking at.
const previewLimit = 5 * time.Second

// addWork looks at a running agent's worktree, in the same way.
func addWork(ctx context.Context, p *project.Project, state registry.State, a registry.Agent, v *AgentView) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, previewLimit)
	defer cancel()
	work, err := p.Preview(within, state.Session.ID, a, target)
	if errors.Is(err, context.DeadlineExceeded) {
		v.Flags = append(v.Flags, fmt.Sprintf(
			"its work could not be looked at within %s; files and lines are as recorded", previewLimit))
	}
	if err != nil {
		return
	}
	v.Head, v.FilesChanged = work.Head, len(work.Files)
	v.Insertions, v.Deletions = work.Lines()
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

func list(items []string) []string { return append([]string{}, items...) }

// SilentRate is how many of the finished agents ended without a final report, and how many those are.
func SilentRate(state registry.State) (lost, finished int) {
	for _, a := range state.Agents {
		switch a.Status {
		case registry.Complete, registry.Merged, registry.Checkpoint:
			finished++
			if a.Flags.Has(registry.FlagResponseLost) {
				lost++
			}
		}
	}
	return lost, finished
}

// Next tells a person what to type about an agent in this state.
func Next(a registry.Agent) string {
	var options []string
	switch a.Status {
	case registry.Checkpoint:
		next := "delegate show " + a.Name + ", then delegate continue " + a.Name + ` "ANSWER"`
		if a.Flags.Has(registry.FlagWentOn) || a.Flags.Has(registry.FlagUnreadBlock) ||
			a.Flags.Has(registry.FlagResponseLost) { // it may be done, and have said so in another way
			next += " | delegate force-complete " + a.Name
		}
		return next
	case registry.Complete:
		return "delegate sync merge " + a.Name
	case registry.Failed: // what keeps its work comes first
		if a.Flags.Has(registry.FlagTimeout) {
			options = append(options, "delegate extend "+a.Name+" 30m", "delegate force-complete "+a.Name)
		}
		if a.Turns > 0 {
			options = append(options, "delegate message "+a.Name+` "WHAT TO DO"`)
		}
		if len(a.FilesModified) > 0 {
			options = append(options, "delegate sync merge "+a.Name+" (merges what it did)")
		}
		options = append(options, "delegate retry "+a.Name, "delegate reassign "+a.Name+" --agent PROFILE",
			"delegate abort "+a.Name)
	case registry.Running, registry.Spawning:
		if !a.Flags.Has(registry.FlagStalled) {
			return "delegate logs -f " + a.Name
		}
		options = append(options, "delegate logs "+a.Name, "delegate message --interrupt "+a.Name+` "TEXT"`,
			"delegate interrupt "+a.Name, "delegate abort "+a.Name)
	}
	return strings.Join(options, " | ")
}

// ProgressText is what the agent's last block said of itself, "" if it said nothing.
func ProgressText(a registry.Agent) string {
	if a.Progress == nil {
		return ""
	}
	return fmt.Sprintf("%d%%", *a.Progress)
}
