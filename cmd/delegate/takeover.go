package main

import (
	"context"
	"errors"
	"fmt"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/land/journal"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// takeoverCommand is `delegate takeover AGENT`.
func (a *app) takeoverCommand() *cobra.Command {
	hold := false
	c := command("takeover AGENT", "work in an agent's place, in its conversation, at this terminal",
		cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			then := control.GoOn
			if hold {
				then = control.Hold
			}
			return a.takeOver(ctx, args[0], then)
		})
	c.Flags().BoolVar(&hold, "hold", false, "keep the agent waiting for you afterwards")
	c.Long = "Opens the conversation of the agent's program on its own screen, in the agent's worktree, home and\n" +
		"sandbox. A running turn is interrupted and kept. When you end the program, the agent continues its\n" +
		"task, and is told which files changed; with --hold it waits for delegate continue. None of the\n" +
		"limits of the agent's own turns apply to yours, except its scope."
	return c
}

func (a *app) takeOver(ctx context.Context, id string, then control.Afterwards) error {
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, err := who.Current(ctx)
	if err != nil {
		return err
	}
	ag, err := state.Find(id)
	if err == nil {
		err = who.MayTakeOver(state.Session.ID, ag)
	}
	if err != nil {
		return err
	}
	if err := a.term.Person(); err != nil {
		return &awayError{ag.Name, err}
	}
	if journal.Unfinished(p) {
		return journal.ErrUnfinished
	}
	if err := a.supervised(ctx, p); err != nil {
		return err
	}
	t, err := who.TakeOver(ctx, id)
	if err != nil {
		return err
	}
	a.note("%s is yours until its program ends; your keys go to it", t.Agent.Name)
	if err := t.Turn.Foreground(ctx, run.Program()); err != nil {
		a.note("%s", text(ui.ErrorText(err)))
	}
	if err := a.supervised(context.WithoutCancel(ctx), p); err != nil {
		return err
	}
	// The end is told also where a signal ended it, since it is the agent's.
	r, err := who.GiveBack(context.WithoutCancel(ctx), t, then)
	if err != nil {
		return err
	}
	a.printReturned(r)
	return ctx.Err()
}

// awayError says that nobody is there to work in an agent's place.
type awayError struct {
	agent string
	why   error
}

func (e *awayError) Error() string {
	if errors.Is(e.why, ui.ErrNotTerminal) {
		return fmt.Sprintf("take over %s: you would work on the screen of its program, and this is no terminal",
			e.agent)
	}
	return fmt.Sprintf("take over %s: %v", e.agent, e.why)
}

func (e *awayError) Unwrap() error { return e.why }

func (a *app) printReturned(r control.Returned) {
	if r.Why != "" {
		a.printf("%s: %s.\n", r.Agent.Name, a.named(r.Why))
	}
	a.printf("Changed meanwhile: %s\n", text(session.FilesText(r.Files)))
	a.printf("%s\n", a.isReturned(r))
}
