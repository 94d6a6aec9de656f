package main

import (
	"context"
	"fmt"

	"delegate/internal/control"
	"delegate/internal/journal"
	"delegate/registry"

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
	if err := a.confirm(ctx, fmt.Sprintf("Abort session %s?", id), yes); err != nil {
		return err
	}
	if err := endSession(ctx, who, "aborted by a person"); err != nil {
		return err
	}
	a.printf("Session %s is ABORTED. Branches and worktrees are kept: git branch --list 'delegate/%s/*', %s\n", id, id,
		p.SessionDir(id))
	return nil
}

// endSession cancels every agent of the session that the person means, has their processes ended, and archives it.
func endSession(ctx context.Context, who control.Control, reason string) error {
	p := who.P
	if journal.Unfinished(p) {
		return journal.ErrUnfinished
	}
	if err := who.AbortSession(ctx, reason); err != nil {
		return err
	}
	if err := control.StopAll(ctx, p); err != nil {
		return err
	}
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		if s := tx.State().Session; s != nil && s.ID != who.Session {
			return &control.OtherSessionError{Meant: who.Session, Active: s.ID}
		}
		return tx.EndSession(registry.SessionAborted,
			registry.Event{Kind: registry.EventSessionAborted, Details: reason, By: who.Who})
	})
	if err != nil {
		return err
	}
	return p.DropScratch(ctx)
}
