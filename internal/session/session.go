package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/keeper"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/transcript"
	"delegate/registry"
)

// Claim is the agent of the session that has the task: the last one that did not give it up.
func Claim(state registry.State, task string) (registry.Agent, bool) {
	for i := len(state.Agents) - 1; i >= 0; i-- {
		if a := state.Agents[i]; a.Task == task && a.Status != registry.Aborted {
			return a, true
		}
	}
	return registry.Agent{}, false
}

// CheckClaims refuses a plan in which two subtasks claim the same task.
func CheckClaims(whole *plan.Plan) error {
	holders := map[string]string{}
	for _, sub := range whole.Subtasks {
		if first := holders[sub.Task]; sub.Task != "" && first != "" {
			return fmt.Errorf("task %q is claimed by both %q and %q: link it to one of them", sub.Task, first,
				sub.Name)
		}
		holders[sub.Task] = sub.Name
	}
	return nil
}

// AdaptUnfinishedError says that an agent's worktree was brought up to date and that this was cut
// off before the agent was told.
type AdaptUnfinishedError struct{ Agent string }

func (e *AdaptUnfinishedError) Error() string {
	return fmt.Sprintf("%s was being brought up to date when that was cut off; finish it: delegate adapt %s", e.Agent,
		e.Agent)
}

// Unlanded are the heads of unlanded work that an agent builds on, in the order of its dependencies.
func Unlanded(state registry.State, a registry.Agent) []string {
	var heads []string
	for _, id := range a.Dependencies {
		d, err := state.Agent(id)
		if err == nil && d.Head != "" && !d.Status.Ended() {
			heads = append(heads, d.Head)
		}
	}
	return heads
}

// NewBase is what an agent's work begins from: the target's tip now, or for an agent that builds on
// unlanded work a merge of the target and those heads.
func NewBase(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (string, error) {
	base, err := p.Target(ctx, *state.Session)
	if err != nil {
		return "", err
	}
	for _, head := range Unlanded(state, a) {
		merged, err := p.Repo.Merge(ctx, base, head)
		if err != nil {
			return "", err
		}
		if !merged.Clean {
			return "", fmt.Errorf("base for %s: %.12s, which it builds on, does not merge with the target and its "+
				"other dependencies", a.ID, head)
		}
		message := fmt.Sprintf("Base for %s with %.12s\n\nDelegate-Session: %s\n", a.ID, head, state.Session.ID)
		if base, err = p.Repo.CommitTree(ctx, merged.Tree, message, base, head); err != nil {
			return "", err
		}
	}
	return base, nil
}

// Elapsed is the agent's RUNNING time so far.
func Elapsed(p *project.Project, session string, a registry.Agent) time.Duration {
	if a.Status != registry.Running || a.RunningSince.IsZero() {
		return a.RunTime
	}
	turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, a.Turns)}
	return a.RunTime + transcript.Worked(turn, p.Now())
}

// TimeLimit is the RUNNING time an agent has, 0 for no limit.
func TimeLimit(session time.Duration, a registry.Agent) time.Duration {
	if session == 0 {
		return 0
	}
	return session + a.Extended
}

// AddRunTime adds the running time of a turn that is over.
func AddRunTime(worked time.Duration, now time.Time) func(*registry.Agent) {
	return func(a *registry.Agent) {
		a.RunTime += worked.Round(time.Second)
		a.RunningSince, a.LastActivity = time.Time{}, now
	}
}

// Cost is what the agent cost so far, in US dollars.
func Cost(a registry.Agent) float64 {
	value, err := strconv.ParseFloat(a.Cost, 64)
	if err != nil {
		return 0
	}
	return value
}

func OrElse(text, other string) string {
	if strings.TrimSpace(text) == "" {
		return other
	}
	return strings.TrimSpace(text)
}

func AppendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to %q: %w", path, err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

// Signature tells a registry file apart from an older one without reading it.
type Signature struct {
	Size int64
	Time time.Time
}

func SignatureOf(path string) Signature {
	info, err := os.Stat(path)
	if err != nil {
		return Signature{}
	}
	return Signature{Size: info.Size(), Time: info.ModTime()}
}

// FilesText names a few files and how many more there are.
func FilesText(files []string) string {
	const most = 8
	switch {
	case len(files) == 0:
		return "no files changed"
	case len(files) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return strings.Join(files, ", ")
}

const (
	Supervised     = "SUPERVISED"
	SemiAutonomous = "SEMI-AUTONOMOUS"
)

// IntegrationBranch is the branch of a session that gathers work, "" for one that does not.
func IntegrationBranch(supervision, session string) string {
	if supervision != SemiAutonomous {
		return ""
	}
	return project.IntegrationBranch(session)
}

// Unapproved says whether the stored plan still waits for a person.
func Unapproved(state registry.State) bool {
	return state.Session != nil && state.Session.PlanApproved == ""
}

// StartOver clears what an agent's record says of its last attempt.
func StartOver(a *registry.Agent) {
	a.FilesModified, a.Insertions, a.Deletions, a.Progress = nil, 0, 0, nil
	a.Summary, a.Refused = "", nil
	a.Flags = a.Flags.AfterTurn().Without(registry.FlagCorrectionAsked, registry.FlagOverdue)
}

// Place fills in where an attempt works; the base is decided when the worktree is made, the head begins there.
func Place(p *project.Project, session registry.Session, a *registry.Agent, attempt int) {
	a.Attempt = attempt
	a.Branch = project.Branch(session.ID, a.ID, attempt)
	a.Worktree = p.WorkPath(session.ID, a.ID, attempt)
	a.Base, a.Head = "", ""
}

const BySupervisor = "supervisor"

// InParallel counts the agents that hold a slot.
func InParallel(state registry.State) int {
	n := 0
	for _, a := range state.Agents {
		if a.Status == registry.Spawning || a.Status == registry.Running {
			n++
		}
	}
	return n
}

// WaitsFor lists the dependencies that are not met: those not MERGED, or not even COMPLETE where
// that is enough by configuration.
func WaitsFor(state registry.State, a registry.Agent) []registry.Agent {
	var open []registry.Agent
	for _, other := range state.Agents {
		if !slices.Contains(a.Dependencies, other.ID) || other.Status == registry.Merged {
			continue
		}
		if state.Session.Dependencies == "complete" && other.Status == registry.Complete {
			continue
		}
		open = append(open, other)
	}
	return open
}

// MayStart says whether a PENDING agent could be started now: plan approved, session not paused, a
// slot free, dependencies met.
func MayStart(state registry.State, a registry.Agent) bool {
	if a.Status != registry.Pending || state.Session.PlanApproved == "" || state.Session.Paused != "" ||
		state.Session.Status != registry.SessionActive {
		return false
	}
	free := state.Session.MaxParallel == 0 || InParallel(state) < state.Session.MaxParallel
	return free && len(WaitsFor(state, a)) == 0
}

// IsRecorded reports whether the very row is in the log already, as after a supervisor that died in between.
func IsRecorded(state registry.State, e registry.Event) bool {
	return slices.ContainsFunc(state.Events, func(old registry.Event) bool {
		return old.Agent == e.Agent && old.Kind == e.Kind && old.Details == e.Details
	})
}
