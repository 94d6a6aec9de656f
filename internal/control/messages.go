package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project/config"
	"delegate/registry"
)

// Message queues a text. A COMPLETE or FAILED agent goes on with it at once, any other gets it at its next turn.
func (c Control) Message(ctx context.Context, id, text string) (registry.Agent, error) {
	a, err := c.message(ctx, id, text)
	var moved *registry.TransitionError
	for tries := 0; errors.As(err, &moved) && tries < 3; tries++ { // it went on between the look and the write
		a, err = c.message(ctx, id, text)
	}
	return a, err
}

func (c Control) message(ctx context.Context, id, text string) (registry.Agent, error) {
	if err := notEmpty(id, text); err != nil {
		return registry.Agent{}, err
	}
	a, session, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	switch a.Status {
	case registry.Complete, registry.Failed:
		if err := c.MayResume(ctx, a); err != nil {
			return a, err
		}
		return c.nextTurn(ctx, id, text, GoesOn(a.Status))
	case registry.Merged, registry.Aborted:
		return a, fmt.Errorf("message %s: it is %s and takes no more messages", a.ID, a.Status.Word())
	}
	if err := c.Say(ctx, session, a.ID, text); err != nil {
		return a, err
	}
	a, _, err = c.find(ctx, a.ID)
	return a, err
}

// notEmpty refuses a message without words, which would cost a turn all the same.
func notEmpty(id, text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("message %s: the text is empty", id)
	}
	return nil
}

// Say queues a message for the agent's next turn, with its row.
func (c Control) Say(ctx context.Context, session, id, text string) error {
	return c.queue(ctx, session, id, text, func() error {
		_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
			e := registry.Event{Kind: registry.EventMessage, Agent: id, Details: "queued: " + rowText(text), By: c.Who}
			// An agent whose turn ended meanwhile has no next turn to wait for: the caller looks again.
			if now, err := tx.State().Agent(id); err == nil &&
				(now.Status.Ended() || GoesOn(now.Status) != "" && now.Status != registry.Checkpoint) {
				return &registry.TransitionError{Agent: id, From: now.Status, To: now.Status, Event: e.Kind,
					By: registry.Person}
			}
			return tx.Record(e, func(a *registry.Agent) { a.Flags = a.Flags.Without(registry.FlagStalled) })
		})
		return err
	})
}

// rowText is a message as a row has it; the whole is with the turn that was given it.
func rowText(text string) string {
	const most = 500
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("%s … (%d characters)", string(r[:most]), len(r))
	}
	return text
}

// MayResume refuses a further turn of an agent that ended and has used up its time or its budget.
func (c Control) MayResume(ctx context.Context, a registry.Agent) error {
	if a.Status != registry.Failed && a.Status != registry.Complete {
		return nil
	}
	if err := c.lifts(a, registry.FlagViolationLimit); err != nil {
		return err
	}
	if limit, err := c.limit(ctx, a); err != nil || limit > 0 && a.RunTime >= limit {
		return errors.Join(err, fmt.Errorf(
			"message %s: its time is used up; give it more first: delegate extend %s 30m", a.ID, a.ID))
	}
	return c.affords(ctx, a)
}

// lifts is an error where a limit of these kinds stopped the agent, and no person is there to have it go on.
func (c Control) lifts(a registry.Agent, kinds ...registry.FlagKind) error {
	for _, kind := range kinds {
		if c.Below != nil && a.Flags.Has(kind) {
			return fmt.Errorf("%s %s: %w", a.ID, kind.Flag().Words(), c.Below)
		}
	}
	return nil
}

// affords refuses a further turn of an agent that has used up its budget, or whose session has.
func (c Control) affords(ctx context.Context, a registry.Agent) error {
	state, err := c.Current(ctx)
	if err != nil {
		return err
	}
	used := session.Used(a).Amount().Of(session.AgentBudget(c.P.Config, a))
	if used.Share >= 1 {
		more := "2US$"
		if used.Tokens {
			more = `"500k tokens"`
		}
		return fmt.Errorf("%s has used %s: give it more first: delegate extend %s %s (or budget.agent in %s)", a.ID,
			used.Words, a.ID, more, config.FileName)
	}
	if all := session.AllUsed(c.P, state).Amount().Of(session.Budget(c.P.Config, *state.Session)); all.Share >= 1 {
		return fmt.Errorf("the session has used %s: %s", all.Words, session.BudgetNext)
	}
	return nil
}

// limit is the RUNNING time the agent may have by now, 0 for no limit.
func (c Control) limit(ctx context.Context, a registry.Agent) (time.Duration, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return 0, err
	}
	return session.TimeLimit(state.Session.AgentTimeout, a), nil
}

// nextTurn queues the message and makes the transition that lets the supervisor start the turn.
func (c Control) nextTurn(ctx context.Context, id, message string, kind registry.Kind) (registry.Agent, error) {
	a, session, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	if err := errors.Join(c.ready(a, kind), c.checkAdaptDone(session, a)); err != nil {
		return a, err
	}
	return c.queueFor(ctx, session, a, message, func() error {
		_, err := c.advance(ctx, a, kind, message)
		return err
	})
}

// ready refuses a turn that the agent's state does not allow, or that would have no worktree.
func (c Control) ready(a registry.Agent, kind registry.Kind) error {
	if err := allowed(a, kind); err != nil {
		return err
	}
	if _, err := takeover.Open(c.P.Repo, a.Worktree, a.Branch); err != nil {
		return fmt.Errorf("%s cannot continue: %w", a.ID, err)
	}
	return nil
}

// advance makes the transition to the next turn; what the turn is given is in the queue.
func (c Control) advance(ctx context.Context, a registry.Agent, kind registry.Kind, details string) (registry.Agent,
	error) {
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		e := registry.Event{Kind: kind, Agent: a.ID, Details: rowText(details), By: c.Who}
		return tx.Transition(a.ID, e, registry.Person, c.beginTurn)
	})
}

func (c Control) beginTurn(a *registry.Agent) {
	a.Turns++
	a.RunningSince = c.P.Now().UTC()
	a.Flags = a.Flags.Without(registry.FlagCorrectionAsked)
}
