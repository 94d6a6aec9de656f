package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Interrupt stops the agent's current turn as Ctrl-C would and answers whether a turn was stopped
// by it: not if the agent is idle, or if the turn ended by itself meanwhile. The agent keeps its
// worktree, its memory and its queue. It returns when the end of the turn stands in the registry.
func (c Control) Interrupt(ctx context.Context, id string) (registry.Agent, bool, error) {
	return c.stopTurn(ctx, id, session.Interruption{By: c.Who})
}

func (c Control) stopTurn(ctx context.Context, id string, n session.Interruption) (registry.Agent, bool, error) {
	deadline := time.Now().Add(keeper.StartLimit)
	for {
		a, sessionID, err := c.find(ctx, id)
		if err != nil || a.Status != registry.Running && a.Status != registry.Spawning {
			return a, false, err
		}
		turn := keeper.Turn{Dir: c.P.TurnDir(sessionID, a.ID, a.Turns)}
		if a.Status == registry.Running {
			switch state, err := turn.State(); {
			case err != nil:
				return a, false, err
			case state == keeper.Running:
				return c.interruptTurn(ctx, a, turn, n)
			case state == keeper.Detached: // it is kept again at once
			case state != keeper.Prepared:
				return c.judged(ctx, a, false)
			case c.paused(ctx) || session.RateLimited(c.P, sessionID, a):
				return a, false, nil // its turn does not begin
			}
		}
		if time.Now().After(deadline) {
			return a, false, fmt.Errorf("interrupt %s: its turn is being started for more than %s", a.ID,
				keeper.StartLimit)
		}
		if err := pause(ctx); err != nil {
			return a, false, err
		}
	}
}

func (c Control) paused(ctx context.Context) bool {
	state, err := c.Current(ctx)
	return err == nil && state.Session.Paused != ""
}

// interruptTurn notes who, sends the signal, and waits for the end.
func (c Control) interruptTurn(ctx context.Context, a registry.Agent, turn keeper.Turn,
	n session.Interruption) (registry.Agent, bool, error) {
	if err := n.Keep(turn); err != nil {
		return a, false, err
	}
	if stopped, err := turn.Interrupt(); err != nil {
		return a, false, fmt.Errorf("interrupt %s: %w", a.ID, err)
	} else if !stopped {
		return c.judged(ctx, a, false) // it ended by itself just now
	}
	patience := 2*c.P.Config.StopGrace.Value() + keeper.StartLimit
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if exit, err := turn.Exit(); err == nil {
			return c.judged(ctx, a, exit.Cause == keeper.Interrupted)
		}
		if err := pause(ctx); err != nil {
			return a, false, err
		}
	}
	return a, false, fmt.Errorf("interrupt %s: its turn does not end", a.ID)
}

// judged waits until the registry knows that the turn is over, unless nobody supervises: whoever
// does next will judge it.
func (c Control) judged(ctx context.Context, before registry.Agent, interrupted bool) (registry.Agent, bool, error) {
	for deadline := time.Now().Add(keeper.StartLimit); ; {
		a, _, err := c.find(ctx, before.ID)
		if err != nil || a.Status != registry.Running || a.Turns != before.Turns || a.Attempt != before.Attempt {
			return a, interrupted, err
		}
		if s := session.FindSupervisor(c.P); s == nil || s.Answers(c.P) != nil || time.Now().After(deadline) {
			return a, interrupted, nil
		}
		if err := pause(ctx); err != nil {
			return a, interrupted, err
		}
	}
}

// pause waits a moment, or until ctx ends.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(turnPause):
		return nil
	}
}

// MessageNow stops the agent's current turn and has it go on with the text. An idle agent goes on with it at once.
func (c Control) MessageNow(ctx context.Context, id, text string) (registry.Agent, error) {
	if err := notEmpty(id, text); err != nil {
		return registry.Agent{}, err
	}
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	if a.Status != registry.Running && a.Status != registry.Spawning {
		if a.Status == registry.Checkpoint {
			return c.Continue(ctx, id, text)
		}
		return c.Message(ctx, id, text)
	}
	err = c.Say(ctx, sessionID, a.ID, text)
	if moved := (*registry.TransitionError)(nil); errors.As(err, &moved) {
		return c.Message(ctx, id, text) // its turn is over, nothing is to be interrupted
	}
	if err != nil {
		return a, err
	}
	a, _, err = c.stopTurn(ctx, id, session.Interruption{By: c.Who, Deliver: true})
	if err != nil {
		return a, err
	}
	// It ended by itself before the signal came: the message is why it goes on.
	if kind := GoesOn(a.Status); kind != "" {
		return c.advance(ctx, a, kind, "with the message that was to interrupt it")
	}
	return a, nil
}

// GoesOn is the event by which a person lets an agent in this state have its next turn; "" if there is none.
func GoesOn(s registry.Status) registry.Kind {
	switch s {
	case registry.Checkpoint:
		return registry.EventContinued
	case registry.Complete:
		return registry.EventSentBack
	case registry.Failed:
		return registry.EventResumed
	}
	return ""
}

// turnPause is how long a turn that is to stop is left alone between two looks.
const turnPause = 20 * time.Millisecond
