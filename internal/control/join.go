package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// Join adds an agent for each subtask to the session that was shown, and answers with their ids. They
// start from where its target is then. Without a yes they wait for one of their own; those that join
// a plan that waits for its yes belong to that. A *GoneError if the session has ended.
func Join(ctx context.Context, p *project.Project, shown registry.State, r StartRequest) (ids []string, err error) {
	_, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		ids = nil
		now := tx.State()
		if now.Session == nil || now.Session.ID != shown.Session.ID {
			return &GoneError{ID: shown.Session.ID}
		}
		if err := session.CheckClaims(now, r.Plan); err != nil {
			return err
		}
		added := p.Now().UTC().Truncate(time.Second)
		approval := registry.Approval{By: r.Approved, At: added}
		if session.Unapproved(now) {
			added, approval = time.Time{}, registry.Approval{}
		}
		for _, a := range r.agents(p) {
			a.ID, a.Dependencies, a.Added, a.Approval = "", nil, added, approval
			id, err := tx.AddAgent(a)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return r.recordAdded(tx, ids)
	})
	return ids, err
}

// GoneError says that the session that tasks were to join has ended.
type GoneError struct{ ID string }

func (e *GoneError) Error() string { return fmt.Sprintf("session %q has ended meanwhile", e.ID) }

// recordAdded has added agents wait for others, and records the yes to each.
func (r StartRequest) recordAdded(tx *registry.Tx, ids []string) error {
	for i, sub := range r.Plan.Subtasks {
		waits := slices.Clone(r.After)
		for at, other := range r.Plan.Subtasks {
			if slices.Contains(sub.Dependencies, other.Number) {
				waits = append(waits, ids[at])
			}
		}
		if err := tx.Edit(ids[i], func(a *registry.Agent) { a.Dependencies = waits }); err != nil {
			return err
		}
		if a, err := tx.State().Agent(ids[i]); err != nil || a.Approval.By == "" {
			continue
		}
		if err := tx.Record(approvedTask(ids[i], r.Approved, r.Note), nil); err != nil {
			return err
		}
	}
	return nil
}

// approvedTask is the row of a person's yes to an agent that was added.
func approvedTask(id, who, remark string) registry.Event {
	return registry.Event{Kind: registry.EventApproved, Agent: id, Details: "added task" + note(remark), By: who}
}

// ApproveAdded records a person's yes to the agents that wait for one of their own in what was
// shown. The errors are those of Approve, and *GoneError.
func ApproveAdded(ctx context.Context, p *project.Project, shown registry.State, t Approval) error {
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, a := range Added(shown).Agents {
			if err := stillPending(tx.State(), shown, a); err != nil {
				return err
			}
			if err := tx.Record(approvedTask(a.ID, t.Who, t.Remark), func(a *registry.Agent) {
				a.Approval = registry.Approval{By: t.Who, At: p.Now().UTC().Truncate(time.Second)}
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// Added is the session with those agents alone that wait for a yes of their own.
func Added(state registry.State) registry.State {
	state.Agents = slices.DeleteFunc(slices.Clone(state.Agents), func(a registry.Agent) bool {
		return a.Status != registry.Pending || !a.NeedsApproval()
	})
	return state
}

// stillPending makes sure that an added agent is the one that a person was shown, and that nobody answered meanwhile.
func stillPending(now, shown registry.State, was registry.Agent) error {
	if now.Session == nil || now.Session.ID != shown.Session.ID {
		return &GoneError{ID: shown.Session.ID}
	}
	a, err := now.Agent(was.ID)
	if err != nil {
		return err
	}
	waiting := Added(registry.State{Session: now.Session, Agents: []registry.Agent{a}})
	if len(waiting.Agents) == 0 {
		return &AnsweredError{ID: a.ID, Answer: cmp.Or(a.Approval.By, a.Status.Word())}
	}
	before := registry.State{Session: shown.Session, Agents: []registry.Agent{was}}
	if string(PlanOf(waiting).Format()) != string(PlanOf(before).Format()) ||
		a.Name != was.Name || a.BestOf != was.BestOf || !slices.Equal(a.Dependencies, was.Dependencies) {
		return ErrPlanChanged
	}
	return nil
}
