package main

import (
	"context"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) adaptCommand() *cobra.Command {
	c := a.onAgent(`adapt AGT ["MESSAGE"]`, "merge the target into an agent's work and give it its next turn",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			return said(goesOn)(c.Adapt(ctx, args[0], strings.Join(args[1:], " ")))
		})
	c.Long = "For work that has to fit what landed meanwhile. Merges the target into the work of an agent that waits " +
		"for review, is COMPLETE or FAILED,\n" +
		"and gives it its next turn with what came. Where both changed the same lines, the files in its worktree " +
		"hold conflict markers with the base shown,\n" +
		"and the agent is told to resolve them; its head before is kept under refs/delegate/. Cut off, it is " +
		"finished by typing it again."
	return c
}
