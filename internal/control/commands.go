package control

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/text/channel"
	"delegate/internal/text/ui"
	"delegate/registry"
)

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

// Decision is a person's answer to a command that waited for them.
type Decision int

const (
	Decline Decision = iota
	CarryOut
)

// Confirm carries out a command of COMMANDS.md that waited for the person, or drops it, once. It
// answers what came of it.
func (c Control) Confirm(ctx context.Context, order channel.Command, d Decision) (string, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	waited := false
	err = session.ChangeCommands(ctx, c.P, state.Session.ID, func(b *session.CommandBook) {
		before := len(b.Waiting)
		b.Waiting = slices.DeleteFunc(b.Waiting, func(w channel.Command) bool { return w.Raw == order.Raw })
		if waited = len(b.Waiting) < before; waited {
			b.Answer(order.Raw, "taken by "+c.Who+", its outcome is not known", c.P.Now().UTC())
		}
	})
	if err != nil || !waited {
		return "it was answered already", err
	}
	text := "declined"
	if d == CarryOut {
		if text, err = c.carryOut(ctx, state, order); err != nil {
			text = "not done: " + err.Error()
		}
	}
	return text, session.ChangeCommands(ctx, c.P, state.Session.ID, func(b *session.CommandBook) {
		b.Answer(order.Raw, text+" (by "+c.Who+")", c.P.Now().UTC())
	})
}

// Obey carries out a line of COMMANDS.md and answers what came of it.
func Obey(ctx context.Context, p *project.Project, order channel.Command) (string, error) {
	c := Control{P: p, Who: session.FromFile}
	state, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	return c.carryOut(ctx, state, order)
}

func (c Control) carryOut(ctx context.Context, state registry.State, order channel.Command) (string, error) {
	switch order.Verb {
	case channel.Pause:
		changed, err := c.Pause(ctx)
		return either(changed, "paused: running turns end, none is started", "it was paused already"), err
	case channel.Resume:
		changed, err := c.Unpause(ctx)
		return either(changed, "turns are started again", "it was not paused"), err
	case channel.Status:
		return "this file is up to date", nil
	}
	switch {
	case order.Verb == channel.Abort && order.Agent != "":
		a, err := c.Abort(ctx, order.Agent, cmp.Or(strings.TrimSpace(order.Text), session.FromFile))
		return "aborted " + a.Name + "; its work is kept", err
	case order.Verb == channel.Abort:
		err := c.AbortSession(ctx, session.FromFile)
		return "aborted every agent; their work is kept. To end the session: delegate sync abort", err
	case order.Agent != "":
		a, err := c.Focus(ctx, order.Agent)
		return a.ID + " is at the front of the queue", err
	}
	queued := 0
	for _, a := range state.Agents {
		if a.Status == registry.Complete || a.Status == registry.Failed || a.Status.Ended() {
			continue
		}
		if err := c.Say(ctx, state.Session.ID, a.ID, order.Text); err != nil {
			return "", err
		}
		queued++
	}
	return "queued for " + ui.Plural(queued, "agent"), nil
}

// Focus moves an agent to the front of the queue of those that wait for a slot.
func (c Control) Focus(ctx context.Context, id string) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		for _, other := range tx.State().Agents {
			if other.ID != a.ID && other.Flags.Has(registry.FlagFocus) {
				if err := tx.Edit(other.ID, func(a *registry.Agent) {
					a.Flags = a.Flags.Without(registry.FlagFocus)
				}); err != nil {
					return err
				}
			}
		}
		e := registry.Event{Kind: registry.EventMessage, Agent: a.ID, Details: "moved to the front of the queue",
			By: c.Who}
		return tx.Record(e, func(a *registry.Agent) { a.Flags = a.Flags.With(registry.FlagFocus.Flag()) })
	})
}
