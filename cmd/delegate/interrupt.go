package main

import (
	"context"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) interruptCommand() *cobra.Command {
	c := a.onAgent("interrupt AGENT", "stop an agent's current turn; it keeps its work and can continue",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			ag, done, err := c.Interrupt(ctx, args[0])
			return outcome{agent: ag, said: isInterrupted(c.P, ag, done), interrupted: &done}, err
		})
	c.Long = "Stops the agent's current turn as Ctrl-C would, and kills it after stop_grace. Nothing is lost: the\n" +
		"agent keeps its worktree, its conversation and its queued messages, and waits for your answer. An\n" +
		"agent that is not working is not affected."
	return c
}
