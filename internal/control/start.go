package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/land/suite"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
	"delegate/registry"
)

// StartRequest says what a session delegates.
type StartRequest struct {
	Plan        *plan.Plan
	Target      string // branch that landings go to
	Base        string // its commit
	Approved    string // who approved the plan; "" stores it as pending
	Note        string // recorded with the approval, such as a skipped check of the base
	Sandbox     string // "": the kernel holds agents in; else who starts them without that
	Supervision string // Supervised, also where it is empty, or SemiAutonomous
	// Names are those that the agents get, in the plan's order; without one the title gives it.
	Names []string
	After []string // agents of the session that those that join it wait for
	// BestOf says that all subtasks are the same task, of which one result is to be merged.
	BestOf bool
	On     string // the engine for subtasks that name none; "" is what the configuration says
}

// Start records a session with one PENDING agent for each subtask. No process is started here.
// A *registry.ActiveSessionError if there is a session already.
func Start(ctx context.Context, p *project.Project, r StartRequest) (registry.State, error) {
	if err := p.RememberMain(); err != nil {
		return registry.State{}, err
	}
	verify, err := p.Commands(ctx, r.Base)
	if err != nil {
		return registry.State{}, err
	}
	approval, err := approvalOf(ctx, p)
	if err != nil {
		return registry.State{}, err
	}
	return p.Store.Update(ctx, func(tx *registry.Tx) error {
		record := registry.Session{
			ParentTask: r.Plan.Title, ParentAgent: "Main session", Status: registry.SessionActive,
			MaxParallel: p.Config.MaxParallelAgents.Value(), AgentTimeout: p.Config.AgentTimeout.Value(),
			CheckpointInterval: p.Config.CheckpointInterval.Value(), HumanApproval: true, Target: r.Target,
			Base:        r.Base,
			Supervision: cmp.Or(r.Supervision, session.Supervised), Dependencies: p.Config.Dependencies,
			Verify:  suite.Lines(verify),
			Sandbox: r.Sandbox, Approval: approval,
		}
		if r.Approved != "" {
			record.PlanApproved = r.Approved + ", " + p.Now().UTC().Format(time.RFC3339)
		}
		if err := session.CheckClaims(registry.State{}, r.Plan); err != nil {
			return err
		}
		if err := tx.StartSession(record, r.agents(p)); err != nil {
			return err
		}
		if branch := session.IntegrationBranch(r.Supervision, tx.State().Session.ID); branch != "" {
			if err := tx.EditSession(func(s *registry.Session) { s.Integration = branch }); err != nil {
				return err
			}
		}
		if r.Approved == "" {
			return nil
		}
		return tx.Record(approvedPlan(r.Approved, r.Note, r.Sandbox), nil)
	})
}

// approvalOf is what a session records of how its landings are approved.
func approvalOf(ctx context.Context, p *project.Project) (string, error) {
	if byKey, err := p.ApprovalByKey(ctx, nil); !byKey {
		return "", err
	}
	return config.ApprovalByKey, nil
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

// approvedPlan is the row of a person's yes to a plan, which says so where its agents start with the person's rights.
func approvedPlan(who, remark, sandbox string) registry.Event {
	details := "plan" + note(remark)
	if sandbox != "" {
		details += note("sandbox " + sandbox)
	}
	return registry.Event{Kind: registry.EventApproved, Details: details, By: who}
}

// agents are those of the plan's subtasks.
func (r StartRequest) agents(p *project.Project) []registry.Agent {
	fallback := p.Config.Agent
	if profile, err := agent.Find(p.Config, ""); err == nil {
		fallback = profile.Name // what is found now stays, whatever is installed later
	}
	agents := make([]registry.Agent, 0, len(r.Plan.Subtasks))
	for i, sub := range r.Plan.Subtasks {
		a := agentOf(sub, i, r.Plan, fallback)
		if a.On = cmp.Or(a.On, r.On, p.Config.On); a.On == config.Here {
			a.On = ""
		}
		if i < len(r.Names) {
			a.Name = r.Names[i]
		}
		if r.BestOf {
			a.BestOf = r.Plan.Title
		}
		agents = append(agents, a)
	}
	return agents
}

func agentOf(sub plan.Subtask, index int, whole *plan.Plan, fallback string) registry.Agent {
	a := registry.Agent{
		ID: agentID(index), Subtask: sub.Name, Status: registry.Pending, Allowed: sub.Allowed, Forbidden: sub.Forbidden,
		Profile: cmp.Or(sub.Agent, fallback), Model: sub.Model, Effort: sub.Effort, On: sub.On, Budget: sub.Budget,
		Type: string(sub.Type), Complexity: sub.Complexity, Description: sub.Description, Context: sub.Context,
		ExpectedOutputs: sub.ExpectedOutputs, Task: sub.Task, Tests: "not_run",
	}
	for _, number := range sub.Dependencies {
		for at, other := range whole.Subtasks {
			if other.Number == number {
				a.Dependencies = append(a.Dependencies, agentID(at))
			}
		}
	}
	return a
}

func agentID(index int) string { return fmt.Sprintf("AGT-%03d", index+1) }

// PlanOf is the plan of a stored session, as it would stand in a plan file.
func PlanOf(state registry.State) *plan.Plan {
	whole := &plan.Plan{Title: state.Session.ParentTask}
	for i, a := range state.Agents {
		sub := plan.Subtask{
			Number: i + 1, Name: a.Subtask, Description: a.Description, Context: a.Context, Allowed: a.Allowed,
			Forbidden: a.Forbidden,
			Type:      plan.TaskType(a.Type), Complexity: a.Complexity, ExpectedOutputs: a.ExpectedOutputs,
			Agent: a.Profile, Model: a.Model, Effort: a.Effort, On: a.On, Budget: a.Budget, Task: a.Task,
		}
		for _, id := range a.Dependencies {
			for at, other := range state.Agents {
				if other.ID == id {
					sub.Dependencies = append(sub.Dependencies, at+1)
				}
			}
		}
		whole.Subtasks = append(whole.Subtasks, sub)
	}
	return whole
}

// Approval are what a person says yes to beside the plan itself.
type Approval struct {
	Who         string
	Remark      string // as StartRequest.Note
	Sandbox     string // as StartRequest.Sandbox
	Supervision string // as in StartRequest
}

// Approve records a person's yes to a stored plan. It is refused if the plan is not the one that
// was shown, or waits for nobody any more: *AnsweredError.
func Approve(ctx context.Context, p *project.Project, shown registry.State, t Approval) error {
	approval, err := approvalOf(ctx, p)
	if err != nil {
		return err
	}
	_, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		if err := stillAsked(tx.State(), shown); err != nil {
			return err
		}
		if err := tx.EditSession(func(s *registry.Session) {
			s.PlanApproved = t.Who + ", " + p.Now().UTC().Format(time.RFC3339)
			s.Sandbox, s.Approval = t.Sandbox, cmp.Or(approval, s.Approval)
			s.Supervision, s.Integration = cmp.Or(t.Supervision, session.Supervised),
				session.IntegrationBranch(t.Supervision, s.ID)
		}); err != nil {
			return err
		}
		return tx.Record(approvedPlan(t.Who, t.Remark, t.Sandbox), nil)
	})
	return err
}

// Withdraw ends the session of a stored plan that a person did not approve, in one write: no agent
// of it ever ran. The errors are those of Approve.
func (c Control) Withdraw(ctx context.Context, shown registry.State, reason string) error {
	_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		state := tx.State()
		if err := stillAsked(state, shown); err != nil {
			return err
		}
		for _, a := range state.Agents {
			if a.Status == registry.Aborted {
				continue
			}
			if err := tx.Transition(a.ID,
				registry.Event{Kind: registry.EventAborted, Agent: a.ID, Details: reason, By: c.Who}, registry.Person,
				nil); err != nil {
				return err
			}
		}
		return tx.EndSession(registry.SessionAborted,
			registry.Event{Kind: registry.EventSessionAborted, Details: reason, By: c.Who})
	})
	return err
}

// stillAsked makes sure that a stored plan is the one that a person was shown, and that nobody answered it meanwhile.
func stillAsked(now, shown registry.State) error {
	switch {
	case now.Session == nil || now.Session.ID != shown.Session.ID:
		return &AnsweredError{ID: shown.Session.ID, Answer: "it was withdrawn"}
	case !session.Unapproved(now):
		return &AnsweredError{ID: shown.Session.ID, Answer: "approved by " + now.Session.PlanApproved}
	case string(PlanOf(now).Format()) != string(PlanOf(shown).Format()):
		return ErrPlanChanged
	}
	return nil
}

// AnsweredError says that what was stored was answered elsewhere while it was shown.
type AnsweredError struct{ ID, Answer string }

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("%q was answered meanwhile: %s", e.ID, e.Answer)
}

// ErrPlanChanged says that the stored plan is not the one a person was shown.
var ErrPlanChanged = errors.New("the stored plan changed while it was shown")
