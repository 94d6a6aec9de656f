package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control"
	"delegate/scope"

	"github.com/spf13/cobra"
)

func (a *app) scopeCommand() *cobra.Command {
	var change control.ScopeChange
	c := a.onAgent("scope AGENT [--allow GLOB] [--drop PATH]",
		"show what an agent may write, allow more, or undo changes", cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if len(change.Allow)+len(change.Drop) == 0 {
				state, err := c.P.Active(ctx)
				if err != nil {
					return outcome{}, err
				}
				ag, err := state.Find(args[0])
				return outcome{agent: ag,
					said: fmt.Sprintf("%s may write: %s\nmay not:   %s", ag.Name, text(strings.Join(ag.Allowed, ", ")),
						mayNot(ag.Forbidden))}, err
			}
			if len(change.Allow) > 0 {
				if err := a.ofPerson(); err != nil {
					return outcome{}, err
				}
			}
			ag, overlaps, err := c.ChangeScope(ctx, args[0], change)
			if err != nil {
				return outcome{}, err
			}
			said := mayWrite(ag, overlaps)
			if len(change.Drop) > 0 {
				said += fmt.Sprintf("\nTaken back in its worktree: %s. Its head before that is kept under "+
					"refs/delegate/.", text(strings.Join(change.Drop, ", ")))
			}
			return outcome{agent: ag, said: said}, nil
		})
	c.Flags().StringArrayVar(&change.Allow, "allow", nil, "glob to add to what it may write (recorded)")
	c.Flags().StringArrayVar(&change.Drop, "drop", nil,
		"path whose changes are undone in its worktree (kept under a reference)")
	return c
}

// mayNot lists what an agent may not write: what its scope forbids, and what every scope does.
func mayNot(forbidden []string) string {
	always := text(strings.Join(scope.AlwaysForbiddenInShort(), ", ")) + " (always)"
	if len(forbidden) == 0 {
		return always
	}
	return text(strings.Join(forbidden, ", ")) + ", " + always
}
