package main

import (
	"context"
	"fmt"

	"delegate/internal/land/journal"

	"github.com/spf13/cobra"
)

func (a *app) syncAbortCommand() *cobra.Command {
	yes := false
	c := command("abort", "cancel the session; branches and worktrees are kept", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			return a.syncAbort(ctx, yes)
		})
	yesFlag(c, &yes)
	return c
}

func (a *app) syncAbort(ctx context.Context, yes bool) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	id := state.Session.ID
	if err := a.confirm(ctx, fmt.Sprintf("Abort session %s?", id),
		"stop every agent and end the session; branches and worktrees are kept", yes); err != nil {
		return err
	}
	if journal.Unfinished(p) { // begun while the question was open
		return journal.ErrUnfinished
	}
	if err := who.EndSession(ctx, "aborted by a person"); err != nil {
		return err
	}
	a.printf("Aborted session %s. Branches and worktrees are kept below %s; to remove them: delegate clean --all\n", id,
		p.WorktreeRoot())
	return nil
}
