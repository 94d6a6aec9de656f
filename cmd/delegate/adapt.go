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
			return said(a.goesOn)(c.Adapt(ctx, args[0], strings.Join(args[1:], " ")))
		})
	c.Long = "Brings an agent up to date with what was merged meanwhile. Merges the base branch into the branch of\n" +
		"an agent that is not working, and starts its next turn with a list of the changes. If both changed\n" +
		"the same lines, its files contain conflict markers and the agent is asked to resolve them. Its\n" +
		"commit before the merge is kept under refs/delegate/. If this command is interrupted, run it again."
	return c
}
