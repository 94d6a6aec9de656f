package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/keeper"
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
	ViolationWords   string          `json:"-"`
	Refused          []string        `json:"refused"`       // paths that it was refused to write
	RefusedCalls     []string        `json:"refused_calls"` // system calls that it was refused
	StartedAt        *time.Time      `json:"started_at"`
	LastActivity     *time.Time      `json:"last_activity"`
	ElapsedSeconds   int             `json:"elapsed_seconds"`
	RemainingSeconds *int            `json:"remaining_seconds"` // null: no limit
	Flags            []string        `json:"flags"`
	Turns            int             `json:"turns"`
	Errors           int             `json:"errors"`
	Queued           int             `json:"queued_messages"` // that no turn has been given yet
	LastError        string          `json:"last_error"`
	Question         string          `json:"question"`    // the words that it waits with
	Request          string          `json:"request"`     // what its block asks for then: CONTINUE, MERGE, HELP, ABORT
	Progress         int             `json:"progress"`    // in percent, as it says; -1: it did not say
	WaitingFor       []string        `json:"waiting_for"` // unmet dependencies of a PENDING agent
	Output           string          `json:"output"`
	Program          string          `json:"program"`
	Model            string          `json:"model"`  // that its subtask names, "" for what its profile says
	Effort           string          `json:"effort"` // the same
	On               string          `json:"on"`     // the engine that its turns run on, "" for this machine
	Place            *PlaceView      `json:"place"`  // of a turn that runs there; null: none does
	Type             string          `json:"type"`
	Task             string          `json:"task"`      // objective of the progress file that it has claimed
	Collected        bool            `json:"collected"` // its last result was fetched by somebody, or there is none
	UsageView
	Budget     string    `json:"budget"`      // what it may use up; "" for no limit
	Approval   string    `json:"approval"`    // of a person: approved or pending
	BestOf     string    `json:"best_of"`     // the title of a task that others were given as well
	BaseBehind int       `json:"base_behind"` // commits that its base lacks of the target
	Wait       *WaitView `json:"wait"`        // what its program waits for; null: nothing
	// where others review it; null: nowhere
	PullRequest *PullRequestView `json:"pull_request"`
	// the person who works in its place; null: nobody does
	TakenOver *TakenOverView `json:"taken_over"`

	// why what it changed in the turn that ended is not in git yet, but in its worktree only; "" if it is
	Unsaved string `json:"unsaved"`

	fails bool // on the integration branch
}

// TakenOverView is who works in an agent's place, and since when.
type TakenOverView struct {
	By    string    `json:"by"`
	Since time.Time `json:"since"`
}

// TakenOverText is it in words, "" if nobody does.
func (v AgentView) TakenOverText(now time.Time) string {
	if v.TakenOver == nil {
		return ""
	}
	return "taken over by " + v.TakenOver.By + " for " + ui.Elapsed(max(0, now.Sub(v.TakenOver.Since)))
}

// Word is the agent's state as people read it. Work that fails on the integration branch is not called ready.
func (v AgentView) Word() string {
	switch {
	case v.fails:
		return "done"
	case v.Unsaved != "":
		return "not saved"
	}
	return registry.Agent{Status: v.Status, Flags: v.flags()}.Word()
}

// FlagWords are its flags as people read them.
func (v AgentView) FlagWords() []string { return v.flags().Words() }

func (v AgentView) flags() (all registry.Flags) {
	for _, flag := range v.Flags {
		all = append(all, registry.ParseFlag(flag))
	}
	return all
}

// PullRequestView is an agent's pull request.
type PullRequestView struct {
	URL    string                    `json:"url"` // "" where only the branch was pushed
	Branch string                    `json:"branch"`
	State  registry.PullRequestState `json:"state"` // open, merged or closed
}

// ScopeView is what an agent may write.
type ScopeView struct {
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden"`
}

// View is the agent now: what the registry says, and what its worktree and transcript show.
func View(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) AgentView {
	v := Peek(p, state, a)
	switch {
	case p.Inside:
	case a.Status == registry.Running:
		addWork(ctx, p, state, a, &v)
	case rests(a):
		addEdits(ctx, p, state, a, &v)
	}
	return v
}

// mostSeen is how many files are looked at in the worktrees of all agents that do not work, by whoever lists them: a
// look at one takes microseconds, and opens none that did not change.
const mostSeen = 25_000

// Views are all agents of the session, in their order. Where their files are too many, the worktrees of the last that
// do not work are left out.
func Views(ctx context.Context, p *project.Project, state registry.State) []AgentView {
	views, room := make([]AgentView, len(state.Agents)), mostSeen
	peeks := make([]bool, len(views))
	for i, a := range state.Agents {
		if rests(a) {
			room -= p.FilesSeen(state.Session.ID, a)
		}
		peeks[i] = rests(a) && room < 0
	}
	project.InParallel(len(views), func(i int) {
		if peeks[i] {
			views[i] = Peek(p, state, state.Agents[i])
		} else {
			views[i] = View(ctx, p, state, state.Agents[i])
		}
	})
	return views
}

// rests says that an agent worked, does not work now, and can go on.
func rests(a registry.Agent) bool {
	return a.Turns > 0 && (a.Status == registry.Checkpoint || a.Status == registry.Complete ||
		a.Status == registry.Failed)
}

// Peek is View without a look at the worktree, for whoever looks often: of a running agent, head,
// files and lines are as they were when its turn began.
func Peek(p *project.Project, state registry.State, a registry.Agent) AgentView {
	v := AgentView{
		ID: a.ID, Name: a.Name, Subtask: a.Subtask, Status: a.Status, Attempt: a.Attempt, Branch: a.Branch,
		Base: a.Base, Head: a.Head, Worktree: a.Worktree,
		Scope:        ScopeView{Allowed: list(a.Allowed), Forbidden: list(a.Forbidden)},
		FilesChanged: len(a.ChangedFiles()), Insertions: a.Insertions, Deletions: a.Deletions,
		Tests:       testsOf(p, state, a),
		Checkpoints: a.Checkpoints, Violations: a.Violations, Refused: list(a.Refused),
		RefusedCalls: list(a.RefusedCalls), StartedAt: moment(a.Spawned),
		LastActivity: moment(a.LastActivity),
		Flags:        a.Flags.Texts(), Turns: a.Turns, Errors: a.Errors, LastError: a.LastError, Question: a.Question,
		Request: a.Request, Progress: -1, WaitingFor: []string{}, Output: a.Output,
		Program: a.Profile, Model: a.Model, Effort: a.Effort, On: a.On, Type: a.Type, Task: a.Task,
		Collected:      p.Collected(state.Session.ID, a),
		ViolationWords: session.ViolationWords(p, state.Session.ID, a),
	}
	v.UsageView = UsageOf(session.Used(a).Plus(session.RunningUsage(p, state.Session.ID, a)))
	if limit := session.AgentBudget(p.Config, a); !limit.Off() {
		v.Budget = limit.String()
	}
	if left, is := leftOut(a, notIntegrated(p, state)); is {
		v.fails, v.Flags = true, append(v.Flags, left.Text)
	}
	v.Wait, v.Place = waitOf(a), placeOf(p, state, a)
	v.Approval, v.BestOf = "approved", a.BestOf
	if session.AwaitsYes(state, a) {
		v.Approval = "pending"
	}
	if a.Progress != nil {
		v.Progress = *a.Progress
	}
	if r := a.PullRequest; r.State != "" {
		v.PullRequest = &PullRequestView{URL: r.URL, Branch: r.Branch, State: r.State}
	}
	if by := a.Flags.Text(registry.FlagTakenOver); by != "" && a.Status == registry.Running {
		v.TakenOver = &TakenOverView{By: by, Since: a.RunningSince.UTC().Truncate(time.Second)}
	}
	if messages, err := session.Queue(p, state.Session.ID, a.ID); err == nil {
		v.Queued = len(messages)
	}
	if IsPaused(p, state, a) {
		v.Flags = append(v.Flags, "its turn has not begun: the session is paused")
	}
	v.ElapsedSeconds = int(session.Elapsed(p, state.Session.ID, a).Seconds())
	if limit := session.TimeLimit(state.Session.AgentTimeout, a); limit > 0 && v.TakenOver == nil {
		left := int(max(0, limit-session.Elapsed(p, state.Session.ID, a)).Seconds())
		v.RemainingSeconds = &left
	}
	if a.Status == registry.Pending {
		for _, open := range session.WaitsFor(state, a) {
			v.WaitingFor = append(v.WaitingFor, open.ID)
		}
	}
	if a.Status == registry.Running {
		v.Unsaved = session.FindSupervisor(p).Unsaved(a.ID).Error
		addTranscript(p, state, a, &v)
	}
	return v
}

// testsOf is what the verify commands said of the agent's work as it is: when it was merged, or on a trial merge. One
// that the target fails as well says nothing of it.
func testsOf(p *project.Project, state registry.State, a registry.Agent) string {
	known := cmp.Or(a.Tests, "not_run")
	if known != "not_run" || !rests(a) {
		return known
	}
	failed := session.ReadFailedTests(p, state.Session.ID, a)
	if failed.Command == "" || failed.Is(session.ReadFailingTarget(p, state.Session.ID)) {
		return known
	}
	return "fail"
}

// Behind says for each agent that has not ended how many commits its base lacks of the branch that it is merged into.
// Where git cannot say so it says nothing.
func Behind(ctx context.Context, p *project.Project, state registry.State) map[string]int {
	behind, byBase := map[string]int{}, map[string]int{}
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return behind
	}
	for _, a := range state.Agents {
		if a.Base == "" || a.Base == tip || a.Status.Ended() {
			continue
		}
		if _, known := byBase[a.Base]; !known {
			_, byBase[a.Base], err = p.Repo.Subjects(ctx, a.Base, tip, 0)
			if err != nil {
				byBase[a.Base] = 0
			}
		}
		behind[a.ID] = byBase[a.Base]
	}
	return behind
}

// addTranscript looks at what a running agent printed. What cannot be read now stays as the registry has it.
func addTranscript(p *project.Project, state registry.State, a registry.Agent, v *AgentView) {
	turn := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}
	v.Output = turn.Readable()
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
			"its worktree could not be read within %s; files and lines are as recorded", previewLimit))
	}
	if err != nil {
		return
	}
	v.Head, v.FilesChanged = work.Head, len(work.Files)
	v.Insertions, v.Deletions = work.Lines()
}

// addEdits looks whether the worktree of an agent that does not work is as its last turn left it. Where that cannot be
// seen now, nothing is said.
func addEdits(ctx context.Context, p *project.Project, state registry.State, a registry.Agent, v *AgentView) {
	within, cancel := context.WithTimeout(ctx, previewLimit)
	defer cancel()
	if now, err := p.TakeHead(within, state.Session.ID, a, takeover.ForALook); err == nil && now.Head != a.Head {
		v.Flags = append(v.Flags, "edited after its last turn: delegate diff "+a.Name+" shows it, a merge includes it")
	}
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

func list(items []string) []string { return append([]string{}, items...) }

// ResponsesLost is how many of the finished agents ended without a report.
func ResponsesLost(state registry.State) (lost int) {
	for _, a := range state.Agents {
		switch a.Status {
		case registry.Complete, registry.Merged, registry.Checkpoint:
			if a.Flags.Has(registry.FlagResponseLost) {
				lost++
			}
		}
	}
	return lost
}

// Next tells a person what to type about an agent in this state, with what holds finished work back.
func Next(p *project.Project, a registry.Agent, holding []Point) string {
	var options []string
	switch a.Status {
	case registry.Checkpoint:
		return NeedOf(a).Next
	case registry.Complete:
		switch by, held := HeldBy(a, holding); {
		case held && by.Kind == ConflictPoint:
			return "delegate adapt " + a.Name
		case a.HasNoChanges():
			return "delegate message " + a.Name + ` "WHAT TO DO" | delegate abort ` + a.Name
		case a.PullRequest.State == registry.PullRequestOpen:
			return "delegate sync pr --update " + a.Name
		case a.IsPublished():
			return "delegate sync"
		case held:
			return by.Next
		}
		if left, is := leftOut(a, holding); is {
			return left.Next
		}
		if a.Flags.Has(registry.FlagNoNewWork) {
			options = append(options, "delegate message "+a.Name+` "WHAT TO DO"`)
		}
		options = append(options, "delegate sync merge "+a.Name)
		if p.Gone(a) {
			options = append(options, "delegate restore "+a.Name)
		}
	case registry.Failed:
		options = nextOfFailed(p, a)
	case registry.Running, registry.Spawning:
		if a.Flags.Has(registry.FlagTakenOver) {
			return "delegate interrupt " + a.Name + " (ends what its person does)"
		}
		if unsaved := session.FindSupervisor(p).Unsaved(a.ID); unsaved.Unsaved {
			return unsaved.Next
		}
		if !a.Flags.Has(registry.FlagStalled) {
			return "delegate logs -f " + a.Name
		}
		options = append(options, "delegate logs "+a.Name, "delegate message --interrupt "+a.Name+` "TEXT"`,
			"delegate interrupt "+a.Name, "delegate abort "+a.Name)
	}
	return strings.Join(options, " | ")
}

// nextOfFailed is what may go on with an agent that failed: what mends the cause first, then what keeps its work.
func nextOfFailed(p *project.Project, a registry.Agent) (options []string) {
	gone := p.Gone(a) // it gets no other turn in it
	if ways := Allowing(p, a).Each(); len(ways) > 0 && !gone {
		options = append(options, strings.Join(ways, ", and ")+", then delegate message "+a.Name+` "TRY AGAIN"`)
	}
	if a.Flags.Has(registry.FlagTimeout) && !gone {
		options = append(options, "delegate extend "+a.Name+" 30m", "delegate force-complete "+a.Name)
	}
	switch {
	case gone && a.Turns > 0:
		options = append(options, "delegate restore "+a.Name)
	case gone:
	case a.Flags.Has(registry.FlagSessionBudget):
		options = append(options, "delegate extend --session 5US$, then delegate message "+a.Name+` "GO ON"`)
	case a.Flags.Has(registry.FlagCostLimit):
		options = append(options, "delegate extend "+a.Name+" 2US$")
	case a.Flags.Has(registry.FlagTokenLimit):
		options = append(options, "delegate extend "+a.Name+` "500k tokens"`)
	case a.Turns > 0:
		options = append(options, "delegate message "+a.Name+` "WHAT TO DO"`)
	}
	if len(a.FilesModified) > 0 {
		options = append(options, "delegate sync merge "+a.Name+" (merges what it did)")
	}
	return append(options, "delegate retry "+a.Name, "delegate reassign "+a.Name+" --agent PROFILE",
		"delegate abort "+a.Name)
}

// Tried is what an agent tried and was refused, in words; "" for nothing.
func Tried(refused, calls []string) string {
	var parts []string
	if n := len(refused); n > 0 {
		parts = append(parts, ui.Plural(n, "write")+" outside its scope: "+strings.Join(refused, ", "))
	}
	if n := len(calls); n > 0 {
		parts = append(parts, ui.Plural(n, "system call")+" that no build needs: "+strings.Join(calls, ", "))
	}
	return strings.Join(parts, "; ")
}

// BeyondText says of tries that no scope allows what to do before anything is allowed.
func BeyondText(a registry.Agent, tried []string) string {
	return "no scope allows " + strings.Join(tried, ", ") + "; look first at what it did: delegate logs " + a.Name
}

// Way is what would allow writes that were refused to an agent, "" where nothing of the kind would.
type Way struct {
	Type string // in the repository: a command that widens the scope
	Key  string // elsewhere: what to write into the configuration
}

// Each is what to do, one thing after the other.
func (w Way) Each() (all []string) {
	if w.Type != "" {
		all = append(all, w.Type)
	}
	if w.Key != "" {
		all = append(all, "write into "+config.FileName+": "+w.Key)
	}
	return all
}

// Allowing is what would allow the agent the writes that it was refused.
func Allowing(p *project.Project, a registry.Agent) (w Way) {
	globs, folders := p.Allowable(a)
	if len(globs) > 0 {
		w.Type = "delegate scope " + a.Name
		for _, glob := range globs {
			w.Type += " --allow " + run.AsTyped([]string{glob})
		}
	}
	if len(folders) > 0 {
		w.Key = "sandbox: {writable: [" + strings.Join(folders, ", ") + "]}"
	}
	return w
}
