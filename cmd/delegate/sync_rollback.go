package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"delegate/internal/control"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

func (a *app) syncRollbackCommand() *cobra.Command {
	message := ""
	c := command("rollback AGENT", "revert an agent's merge, after a test and a question", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			return a.syncRollback(ctx, args[0], message)
		})
	messageFlag(c, &message)
	return c
}

func (a *app) syncRollback(ctx context.Context, id, message string) error {
	err := a.withBuilder(ctx, id, func(ctx context.Context, b *candidate.Builder, who control.Control,
		id string) error {
		if err := a.mayLand(ctx, who); err != nil {
			return err
		}
		b.Message = message
		return a.rollBack(ctx, b, who, id)
	})
	if !errors.Is(err, project.ErrNoSession) {
		return err
	}
	p, openErr := a.open(ctx)
	if openErr != nil {
		return err
	}
	last, historyErr := lastEnded(ctx, p)
	if historyErr != nil || last.Session == nil {
		return err
	}
	ag, findErr := last.Find(id)
	if findErr != nil || ag.MergeCommit == "" {
		return err
	}
	return &overError{last.Session.ID, ag.Name, ag.MergeCommit}
}

// overError says that a session has ended in which something was to be taken back.
type overError struct{ session, agent, commit string }

func (e *overError) Error() string {
	return fmt.Sprintf("session %q has ended, and %s is merged as %.12s", e.session, e.agent, e.commit)
}

func (*overError) Unwrap() error { return project.ErrNoSession }

// rollBack is land for the way back.
func (a *app) rollBack(ctx context.Context, b *candidate.Builder, who control.Control, id string) error {
	p := who.P
	var voided *candidate.Candidate // what the last answer was for
	for {
		state, err := who.Current(ctx)
		if err != nil {
			return err
		}
		c, err := b.BuildRollback(ctx, state, id)
		if err != nil {
			return err
		}
		if voided != nil {
			a.printVoid(*voided, c)
		}
		included := strings.Join(c.Notes, "; ")
		if c.OnlyRecord {
			a.printf("%s\n", text(included))
		} else {
			a.printCandidate(p, state, c)
			included = includes(p, state, c)
		}
		yes := fmt.Sprintf("take it back out of %s by a new commit (%s); the agent is ready again", c.TargetName(),
			text(included))
		if c.OnlyRecord {
			yes = "correct the record; the agent is ready again"
		}
		answers := []ui.Answer{{Word: "yes", Help: yes}, {Word: "no", Help: "change nothing"}}
		if c.Failing() {
			answers[0].Word = "override"
		}
		answer, err := a.term.Choose(ctx, fmt.Sprintf("Roll back %s (digest %s)?", c.Title(), c.Short()), answers, "no")
		if err != nil {
			return a.toldUnchanged(err)
		}
		if answer == "no" {
			a.printf("Nothing was changed.\n")
			return nil
		}
		err = a.carryOut(ctx, b, p, c, answer == "override")
		if _, ok := errors.AsType[*candidate.VoidError](err); ok {
			voided = &c
			continue
		}
		return err
	}
}
