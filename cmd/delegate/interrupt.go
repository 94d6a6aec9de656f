package main

import (
	"context"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) interruptCommand() *cobra.Command {
	c := a.onAgent("interrupt AGENT", "stop an agent's current turn; it keeps its work and can go on",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			ag, done, err := c.Interrupt(ctx, args[0])
			return outcome{agent: ag, said: isInterrupted(c.P, ag, done), interrupted: &done}, err
		})
	c.Long = "Stops the agent's current turn as Ctrl-C would, and after stop_grace by force. Nothing is lost: the " +
		"agent keeps its worktree,\n" +
		"its memory and its queued messages, and waits for your answer. An agent that is not working is left alone."
	return c
}
