package main

import (
	"context"
	"fmt"

	"delegate/internal/control"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) messageCommand() *cobra.Command {
	now, answer := false, false
	c := a.onAgent(`message AGENT "MESSAGE"`, "send an agent a message; one that finished or failed continues with it",
		cobra.ExactArgs(2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if now {
				return said(a.goesOnWith)(c.MessageNow(ctx, args[0], args[1]))
			}
			state, err := c.P.Active(ctx)
			if err != nil {
				return outcome{}, err
			}
			before, err := state.Find(args[0])
			if err != nil {
				return outcome{}, err
			}
			if answer && before.Status == registry.Checkpoint {
				return said(a.goesOnWith)(c.Continue(ctx, args[0], args[1]))
			}
			words := a.goesOnWith
			if before.Status != registry.Complete && before.Status != registry.Failed {
				words = a.isQueued
			}
			return said(words)(c.Message(ctx, args[0], args[1]))
		})
	c.Long = "Queues a message. It is on disk before this command ends, and the agent gets it once, in order, with\n" +
		"its next turn, even if the supervisor dies meanwhile. An agent that is ready or failed continues\n" +
		"with it at once. An agent that is working gets it in its next turn, or now with --interrupt."
	c.Flags().BoolVar(&answer, "answer", false, "use it as the answer if the agent waits for one, and continue at once")
	c.Flags().BoolVar(&now, "interrupt", false, "stop the current turn first, and continue with the message at once")
	return c
}

func (a *app) isQueued(ag registry.Agent) string {
	switch {
	case status.IsPaused(a.opened, a.state, ag):
		return fmt.Sprintf("Queued for %s, which reads it when the session is resumed.", ag.Name)
	case ag.Status == registry.Running:
		return fmt.Sprintf("Queued for %s, which reads it when its current turn ends. Or now: "+
			"delegate message --interrupt %s \"MESSAGE\"", ag.Name, ag.Name)
	case ag.Status == registry.Pending || ag.Status == registry.Spawning:
		return fmt.Sprintf("Queued for %s, which reads it when it starts.", ag.Name)
	}
	return fmt.Sprintf("Queued for %s, which reads it in its next turn: delegate continue %s", ag.Name, ag.Name)
}
