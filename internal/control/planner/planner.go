package planner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/land/suite"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/registry"
	"delegate/scope"
)

// PlanOptions are the bounds that the configuration sets for every plan.
func PlanOptions(p *project.Project) plan.Options {
	return plan.Options{Roots: p.Config.AllowedRoots, Forbidden: p.Config.Forbidden, Agents: agent.Known(p.Config),
		Engines: p.Config.Places()}
}

// PlannerRequest asks an agent program for the plan of a task.
type PlannerRequest struct {
	Profile string // of the program
	Task    plan.Task
	Facts   plan.Facts
	Options plan.Options // that the plan is checked with
	Base    string       // commit that the program reads
	Sandbox string       // as StartRequest.Sandbox
	Say     func(string) // is told in one line what is under way
}

// Planned is a sound plan of a planner's. Nothing of it has been started, and nothing will be before a person's yes.
type Planned struct {
	Text    []byte // as the planner wrote it
	Refused []string
}

// PlannerError says that a planner gave no plan that can be used.
type PlannerError struct {
	Profile string
	Reason  string   // why there is none; "" where Faults say what is wrong with it
	Faults  []string // of its second answer
	Answer  []byte   // what it wrote, nil for nothing
	Output  string   // file with what its program printed
	Refused []string
}

func (e *PlannerError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("planner %q: %s", e.Profile, e.Reason)
	}
	return fmt.Sprintf("planner %q: its plan has faults after it was asked to fix them", e.Profile)
}

// ErrPlannerBusy says that a planner is at work in this repository already.
var ErrPlannerBusy = errors.New("a planner is at work in this repository")

// Find is the profile of a planner whose program is there.
func Find(p *project.Project, name string) (agent.Profile, error) {
	profile, err := agent.Find(p.Config, name)
	if err == nil {
		err = profile.Installed(p.Repo.Worktree, os.Getenv("PATH"))
	}
	return profile, err
}

// AskPlanner has an agent program read the base and write a plan, which is checked like any other;
// with faults it is asked once more. The program runs in a fence in which only its folder, home and
// temporary folder can be written, on a checkout that is gone afterwards. It belongs to no session,
// and no process of it is left when AskPlanner returns. What it printed stays in the private folder
// until the next time.
//
// Errors are a *PlannerError, an *UnfencedError, an *agent.UnknownProfileError, ErrPlannerBusy, or the context's.
func AskPlanner(ctx context.Context, p *project.Project, r PlannerRequest) (planned Planned, err error) {
	profile, err := Find(p, r.Profile)
	if err != nil {
		return Planned{}, err
	}
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return Planned{}, fmt.Errorf("make private folder: %w", err)
	}
	lock, err := atomicfile.TryLock(filepath.Join(p.Private, "planner.lock"))
	if errors.Is(err, atomicfile.ErrLocked) {
		return Planned{}, ErrPlannerBusy
	}
	if err != nil {
		return Planned{}, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	work := newPlanner(p, profile, r)
	if err := work.clear(ctx); err != nil {
		return Planned{}, err
	}
	if err := atomicfile.RemoveTree(work.turns()); err != nil {
		return Planned{}, fmt.Errorf("remove output of an earlier planner: %w", err)
	}
	defer func() { err = errors.Join(err, work.clear(context.WithoutCancel(ctx))) }()
	if err := work.open(ctx); err != nil {
		return Planned{}, err
	}
	if limit := p.Config.PlannerTimeout; !limit.Off() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit.Value(), errPlannerTime)
		defer cancel()
	}
	return work.ask(ctx)
}

// errPlannerTime is the cause of a planner's end by its time limit.
var errPlannerTime = errors.New("the planner's time is over")

// answer is what a planner wrote in a turn.
type answer struct {
	text   []byte   // nil: no plan
	file   []byte   // of its folder, whether it is the answer or not
	faults []string // of getting it
	reason string   // why the program gave up, "" if it did not
}

// ask puts the question, and once more with the faults of the answer.
func (m *planner) ask(ctx context.Context) (Planned, error) {
	verify, err := m.p.Commands(ctx, m.r.Base)
	if err != nil {
		return Planned{}, err
	}
	brief := agent.PlannerBrief{
		Task: m.r.Task, Facts: factsText(m.r.Facts), Roots: m.r.Options.Roots,
		Forbidden:  append(scope.AlwaysForbidden(), m.r.Options.Forbidden...),
		ScopeLimit: m.r.Facts.ScopeLimit, Parallel: m.r.Facts.MaxParallel, Verify: suite.Lines(verify),
		NoContext: m.r.Options.Context == plan.ContextOptional, AgentDir: m.folder(),
	}
	prompt := brief.Prompt()
	first, err := m.turn(ctx, 1, question{prompt, m.profile.Command})
	if err != nil {
		return Planned{}, err
	}
	faults, err := m.checkFirst(first)
	if err != nil || len(faults) == 0 {
		return m.planned(first), err
	}
	if first.text == nil && first.reason != "" {
		return Planned{}, m.fault(first, first.reason)
	}
	m.sayFaults(faults)
	second, err := m.turn(ctx, 2, m.again(prompt, first, faults))
	if err != nil {
		return Planned{}, err
	}
	if second.text == nil {
		second.text = first.text // what it mended in place, or did not mend at all
	}
	if faults, err = m.check(second); err != nil || len(faults) == 0 {
		return m.planned(second), err
	}
	e := m.fault(second, "")
	if e.Faults = faults; second.text == nil {
		e.Reason = "it gave no plan, also when it was asked again"
	}
	return Planned{}, e
}

// sayFaults says what the program is asked to fix.
func (m *planner) sayFaults(faults []string) {
	const most = 5
	them := "them"
	if len(faults) == 1 {
		them = "it"
	}
	m.r.Say(fmt.Sprintf("its plan has %s; it is asked to fix %s", ui.Plural(len(faults), "fault"), them))
	for _, fault := range faults[:min(most, len(faults))] {
		m.r.Say("- " + fault)
	}
	if more := len(faults) - most; more > 0 {
		m.r.Say("- and " + ui.Plural(more, "more fault"))
	}
}

// again is what is said in the second turn: to the same conversation where the program can go on with one.
func (m *planner) again(prompt string, first answer, faults []string) question {
	f := agent.PlannerFollowUp{Faults: faults, AgentDir: m.folder()}
	if len(m.profile.Resume) > 0 && m.resumable {
		return question{f.Prompt(), m.profile.Resume}
	}
	f.First, f.Answer = prompt, string(first.text)
	return question{f.Prompt(), m.profile.Command}
}

// check lists what is wrong with an answer, none for a plan that a person can be shown. Other
// errors are not the planner's.
func (m *planner) check(a answer) ([]string, error) {
	if a.text == nil {
		return append(a.faults, fmt.Sprintf(
			"there is no plan: neither the file %s/%s nor a line that begins with \"# Delegation Plan:\"", m.folder(),
			agent.PlanFile)), nil
	}
	whole, err := plan.Parse(a.text, m.r.Options)
	if wrong, ok := errors.AsType[*plan.Faults](err); ok {
		faults := a.faults
		for _, f := range wrong.List {
			faults = append(faults, ui.Clean(fmt.Sprintf("line %d: %s", f.Line, f.Reason)))
		}
		return faults, nil
	}
	if err != nil {
		return nil, err
	}
	for _, err := range []error{CheckPrograms(m.p, whole), session.CheckClaims(registry.State{}, whole)} {
		if err != nil {
			a.faults = append(a.faults, err.Error())
		}
	}
	return a.faults, nil
}

// checkFirst finds also what a person would only be told of: there is time to mend it.
func (m *planner) checkFirst(a answer) ([]string, error) {
	faults, err := m.check(a)
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	whole, err := plan.Parse(a.text, m.r.Options)
	if err != nil {
		return nil, err
	}
	out, err := plan.OutputFaults(whole, m.r.Options)
	for _, f := range out {
		faults = append(faults, ui.Clean(fmt.Sprintf("line %d: %s", f.Line, f.Reason)))
	}
	return faults, err
}

func (m *planner) planned(a answer) Planned {
	return Planned{Text: a.text, Refused: m.refused}
}

func (m *planner) fault(a answer, reason string) *PlannerError {
	e := &PlannerError{Profile: m.profile.Name, Reason: reason, Answer: a.text, Output: m.last.Output(),
		Refused: m.refused}
	if a.text == nil {
		e.Answer = a.file
	}
	return e
}

// await waits for the end of a turn, and ends it where the context ends first.
func (m *planner) await(ctx context.Context, t keeper.Turn) (keeper.Exit, error) {
	grace := m.p.Config.StopGrace.Value()
	for {
		state, err := t.State()
		switch {
		case err != nil:
			return keeper.Exit{}, errors.Join(err, t.Stop(grace))
		case state == keeper.Ended:
			return t.Exit()
		case state == keeper.Lost:
			return keeper.Exit{}, errors.Join(m.fault(answer{}, "its keeper was killed"),
				t.FinalizeLost(grace, m.p.Now()))
		}
		select {
		case <-ctx.Done():
			err := t.Stop(grace)
			if errors.Is(context.Cause(ctx), errPlannerTime) {
				e := m.fault(m.read(t), fmt.Sprintf("it was not done after %s (planner_timeout)",
					m.p.Config.PlannerTimeout))
				return keeper.Exit{}, errors.Join(e, err)
			}
			return keeper.Exit{}, errors.Join(ctx.Err(), err)
		case <-time.After(plannerPause):
		}
	}
}

// plannerPause is how long a planner is left alone between two looks.
const plannerPause = 50 * time.Millisecond

// CheckPrograms looks for the agent program of every subtask, so that a missing one is said before anything is made.
func CheckPrograms(p *project.Project, whole *plan.Plan) error {
	var faults []error
	seen := map[[3]string]bool{}
	for _, sub := range whole.Subtasks {
		asked := [3]string{sub.Agent, sub.Model, sub.Effort}
		if seen[asked] {
			continue
		}
		seen[asked] = true
		profile, err := agent.Find(p.Config, sub.Agent)
		if err == nil {
			err = errors.Join(profile.Installed(p.Repo.Worktree, os.Getenv("PATH")),
				profile.CanChoose(sub.Model, sub.Effort))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("subtask %s: %w", strconv.Itoa(sub.Number), err))
		}
	}
	return errors.Join(faults...)
}
