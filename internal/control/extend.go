package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project/config"
	"delegate/internal/text/budget"
	"delegate/registry"
)

// Extend gives an agent more time. One that failed goes on; a running or complete one just has the longer limit.
func (c Control) Extend(ctx context.Context, id string, by time.Duration) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err == nil {
		err = c.MayExtend(ctx, a)
	}
	if err != nil {
		return a, err
	}
	return c.extend(ctx, a, by.String(), func(a *registry.Agent) {
		a.Extended += by
		a.Flags = a.Flags.Without(registry.FlagTimeoutNear, registry.FlagStalled)
	})
}

// MayExtend is an error where an agent can be given no more time as it is: its state forbids it, or its budget is used
// up.
func (c Control) MayExtend(ctx context.Context, a registry.Agent) error {
	if err := allowsMore(a); err != nil {
		return err
	}
	return c.affords(ctx, a)
}

// inPlace says whether more changes nothing but the limit: the agent is not started by it.
func inPlace(s registry.Status) bool { return s == registry.Running || s == registry.Complete }

func allowsMore(a registry.Agent) error {
	if inPlace(a.Status) {
		return nil
	}
	return allowed(a, registry.EventExtended)
}

// ExtendBudget gives an agent a larger budget, of what it has one of. Otherwise it is as Extend.
func (c Control) ExtendBudget(ctx context.Context, id string, by budget.Amount) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	more := func(a *registry.Agent) {
		a.BudgetAdded = session.AddBudget(a.BudgetAdded, by)
		a.Flags = a.Flags.Without(registry.FlagBudgetNear)
	}
	if err := canRaise(session.AgentBudget(c.P.Config, a), by, a.ID); err != nil {
		return a, err
	}
	raised := a
	more(&raised)
	if a.Status == registry.Failed { // it goes on, if it can
		if limit, err := c.limit(ctx, a); err != nil || limit > 0 && a.RunTime >= limit {
			return a, errors.Join(err, fmt.Errorf("extend %s: its time is used up as well; give it more first: "+
				"delegate extend %s 30m", a.ID, a.ID))
		}
		if err := c.affords(ctx, raised); err != nil {
			return a, err
		}
	}
	return c.extend(ctx, a, by.String(), more)
}

// ExtendSession gives the session a larger budget, of what it has one of. What waited for that is started by itself.
func (c Control) ExtendSession(ctx context.Context, by budget.Amount) error {
	_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		state := tx.State()
		if state.Session == nil {
			return errors.New("extend: no session is active")
		}
		if err := canRaise(session.Budget(c.P.Config, *state.Session), by, "the session"); err != nil {
			return err
		}
		raised := *state.Session
		raised.BudgetAdded = session.AddBudget(raised.BudgetAdded, by)
		state.Session = &raised
		if raised.BudgetUsedUp {
			raised.Paused = session.BudgetPause(c.P, state)
			raised.BudgetUsedUp = raised.Paused != ""
		}
		if err := tx.EditSession(func(s *registry.Session) { *s = raised }); err != nil {
			return err
		}
		return tx.Record(registry.Event{Kind: registry.EventExtended, Details: "the session's budget by " + by.String(),
			By: c.Who}, nil)
	})
	return err
}

// canRaise refuses to add to a limit that is not there.
func canRaise(limit, by budget.Amount, of string) error {
	for _, c := range []struct {
		limited, more bool
		what          string
	}{{limit.Cost > 0, by.Cost > 0, "US$"}, {limit.Tokens > 0, by.Tokens > 0, "tokens"}} {
		if c.more && !c.limited {
			return fmt.Errorf("extend %s: it has no budget in %s; the key budget in %s sets one", of, c.what,
				config.FileName)
		}
	}
	return nil
}

func (c Control) extend(ctx context.Context, a registry.Agent, by string,
	more func(*registry.Agent)) (registry.Agent, error) {
	now, session, err := c.find(ctx, a.ID)
	if err == nil {
		err = c.checkAdaptDone(session, now)
	}
	if err != nil {
		return a, err
	}
	e := registry.Event{Kind: registry.EventExtended, Agent: a.ID, Details: "by " + by, By: c.Who}
	if inPlace(a.Status) {
		return c.update(ctx, a.ID, func(tx *registry.Tx) error { return tx.Record(e, more) })
	}
	if err := allowsMore(a); err != nil {
		return a, err
	}
	return c.queueFor(ctx, session, a, fmt.Sprintf("You have %s more. Go on where you were.", by), func() error {
		_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
				more(a)
				a.Turns++
				a.RunningSince = c.P.Now().UTC()
			})
		})
		return err
	})
}
