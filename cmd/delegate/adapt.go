package main

import (
	"context"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) adaptCommand() *cobra.Command {
	c := a.onAgent(`adapt AGENT ["MESSAGE"]`, "update an agent's branch from the base branch and give it its next turn",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			return said(goesOn)(c.Adapt(ctx, args[0], strings.Join(args[1:], " ")))
		})
	c.Long = "For work that has to fit what was merged meanwhile. Merges the base branch into the branch of an agent " +
		"that is not working,\n" +
		"and gives the agent its next turn with a list of what came. Where both changed the same lines, its files " +
		"hold conflict markers\n" +
		"and the agent is asked to resolve them; its commit before that is kept under refs/delegate/. If this " +
		"command is cut off, type it again."
	return c
}
