package main

import (
	"context"
	"fmt"

	"delegate/internal/control"
	"delegate/internal/status"

	"github.com/spf13/cobra"
)

func (a *app) interruptCommand() *cobra.Command {
	c := a.onAgent("interrupt AGT", "stop the current turn of an agent; it keeps its work and can go on",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			ag, done, err := c.Interrupt(ctx, args[0])
			said := fmt.Sprintf("interrupted: %t\n%s is %s.", done, ag.ID, ag.Status)
			if next := status.Next(ag); next != "" {
				said += " Next: " + next
			}
			return outcome{agent: ag, said: said, interrupted: &done}, err
		})
	c.Long = "Stops the current turn as Ctrl-C would, after stop_grace with force. Nothing is destroyed: the agent " +
		"then waits for a person\n" +
		"with its worktree, its memory and its queued messages. An agent without a running turn is left alone: " +
		"interrupted: false."
	return c
}
