package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/text/ui"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// Claim is the agent of the session that has the task: the last one that did not give it up.
func Claim(state registry.State, task string) (registry.Agent, bool) {
	for _, a := range slices.Backward(state.Agents) {
		if a.Task == task && a.Status != registry.Aborted {
			return a, true
		}
	}
	return registry.Agent{}, false
}

// CheckClaims refuses a plan in which two subtasks claim the same task, or one a task that an agent of the session has.
func CheckClaims(state registry.State, whole *plan.Plan) error {
	holders := map[string]string{}
	for _, sub := range whole.Subtasks {
		if a, claimed := Claim(state, sub.Task); claimed && sub.Task != "" {
			return fmt.Errorf("task %q is claimed by %s already: take it out of %q", sub.Task, a.ID, sub.Name)
		}
		if first := holders[sub.Task]; sub.Task != "" && first != "" {
			return fmt.Errorf("task %q is claimed by both %q and %q: link it to one of them", sub.Task, first,
				sub.Name)
		}
		holders[sub.Task] = sub.Name
	}
	return nil
}

// LastEvent returns the agent's last event of these kinds, also from the archive; the zero event if there is none.
func LastEvent(ctx context.Context, p *project.Project, id, agent string, kinds ...registry.Kind) (registry.Event,
	error) {
	all, err := p.Store.History(ctx, id)
	for _, e := range slices.Backward(all.Events) {
		if e.Agent == agent && slices.Contains(kinds, e.Kind) {
			return e, err
		}
	}
	return registry.Event{}, err
}

// AdaptUnfinishedError says that an agent's worktree was brought up to date and that this was cut
// off before the agent was told.
type AdaptUnfinishedError struct{ Agent string }

func (e *AdaptUnfinishedError) Error() string {
	return fmt.Sprintf("%s was being brought up to date when that was cut off; finish it: delegate adapt %s", e.Agent,
		e.Agent)
}

// Elapsed is the agent's RUNNING time so far.
func Elapsed(p *project.Project, session string, a registry.Agent) time.Duration {
	if a.Status != registry.Running || a.RunningSince.IsZero() || a.Flags.Has(registry.FlagTakenOver) {
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

func AppendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to %q: %w", path, err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

// Signature tells a file apart from an older one without reading it. A system's clock for files can stand still for
// milliseconds, in which one file can replace another of its size, so it names the file as well.
type Signature struct {
	Size int64
	Time time.Time
	File uint64 // its number, where the system has one
}

func SignatureOf(path string) Signature {
	info, err := os.Stat(path)
	if err != nil {
		return Signature{}
	}
	return Signature{Size: info.Size(), Time: info.ModTime(), File: fileNumber(info)}
}

// AwaitChange returns when the registry is not any more as its signature says, or after a while, or when ctx ends,
// which is then the error.
func AwaitChange(ctx context.Context, p *project.Project, before Signature, limit time.Duration) error {
	const shortest, longest = 2 * time.Millisecond, 10 * time.Millisecond
	for deadline := time.Now().Add(limit); SignatureOf(p.RegistryFile()) == before; {
		left := time.Until(deadline)
		// what changed a moment ago, as while agents are started, changes again soon
		pause := max(shortest, min(longest, time.Since(before.Time)/100))
		if left <= 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, left)):
		}
	}
	return nil
}

// FilesText names a few files and how many more there are.
func FilesText(files []string) string {
	const most = 8
	if len(files) == 0 {
		return "no files changed"
	}
	return ui.Some(files, most)
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
	a.FilesModified, a.RenamedFrom, a.Insertions, a.Deletions, a.Progress = nil, nil, 0, 0, nil
	a.Summary, a.CommitSubject, a.Refused, a.RefusedCalls = "", "", nil, nil
	a.Flags = a.Flags.AfterTurn().Without(registry.FlagCorrectionAsked, registry.FlagOverdue)
}

// Place fills in where an attempt works; the base is decided when the worktree is made, the head begins there.
func Place(p *project.Project, a *registry.Agent, attempt int) {
	a.Attempt = attempt
	a.Branch = project.Branch(a.Name, attempt)
	a.Worktree = p.WorkPath(a.Name, attempt)
	a.Base, a.Head = "", ""
}

const BySupervisor = "supervisor"

// InParallel counts the agents that hold a slot or wait for their provider.
func InParallel(state registry.State) int {
	return count(state, func(registry.Agent) bool { return true })
}

// HasSlot reports whether the agent could work beside those that hold a slot. One that waits for its provider holds
// its own only against others of its profile that have not begun.
func HasSlot(state registry.State, a registry.Agent) bool {
	return state.Session.MaxParallel == 0 || state.Session.MaxParallel > count(state, func(other registry.Agent) bool {
		waits := other.Flags.Waits()
		return other.ID != a.ID && (!waits || a.Status == registry.Pending && other.Profile == a.Profile)
	})
}

// HasRoom says whether the engine that an agent's turns run on may have one more beside those that are there. Those
// that wait for their provider are there between two turns as well.
func HasRoom(c config.Config, state registry.State, a registry.Agent) bool {
	most := c.Engines[a.On].Most.Value()
	return most == 0 || most > count(state, func(other registry.Agent) bool {
		return other.ID != a.ID && other.On == a.On
	})
}

// count is how many agents that are SPAWNING or RUNNING are of a kind.
func count(state registry.State, of func(registry.Agent) bool) int {
	n := 0
	for _, a := range state.Agents {
		if (a.Status == registry.Spawning || a.Status == registry.Running) && of(a) {
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

// AwaitsYes says whether a PENDING agent waits for a person's yes, to the plan or to itself.
func AwaitsYes(state registry.State, a registry.Agent) bool {
	return a.Status == registry.Pending && (Unapproved(state) || a.NeedsApproval())
}

// MayStart says whether a PENDING agent could be started now: approved, session not paused, a slot
// free, dependencies met.
func MayStart(state registry.State, a registry.Agent) bool {
	if a.Status != registry.Pending || AwaitsYes(state, a) || state.Session.Paused != "" ||
		state.Session.Status != registry.SessionActive {
		return false
	}
	return HasSlot(state, a) && len(WaitsFor(state, a)) == 0
}

// Decided says whether every agent of the session is merged or aborted, and nothing else waits for a person: such a
// session can end by itself. The progress file that its tasks came from, and an integration branch, are for a person.
func Decided(state registry.State) bool {
	if s := state.Session; s == nil || s.Status != registry.SessionActive || s.Paused != "" || s.Integration != "" {
		return false
	}
	return len(state.Agents) > 0 && !slices.ContainsFunc(state.Agents, func(a registry.Agent) bool {
		return !a.Status.Ended() || a.Task != ""
	})
}

// IsRecorded reports whether the very row is in the log already, as after a supervisor that died in between.
func IsRecorded(state registry.State, e registry.Event) bool {
	return slices.ContainsFunc(state.Events, func(old registry.Event) bool {
		return old.Agent == e.Agent && old.Kind == e.Kind && old.Details == e.Details
	})
}
