package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/session"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) abortCommand() *cobra.Command {
	yes := false
	c := a.onAgent(`abort AGT ["REASON"]`, "cancel an agent; its branch and worktree are kept", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c session.Control, args []string) (outcome, error) {
			if err := a.confirm(ctx, fmt.Sprintf("Abort %s?", args[0]), yes); err != nil {
				return outcome{}, err
			}
			ag, err := c.Abort(ctx, args[0], strings.Join(args[1:], " "))
			if err == nil {
				err = sendBackDependents(ctx, c, ag)
			}
			return outcome{agent: ag, said: isAborted(ag)}, err
		})
	yesFlag(c, &yes)
	return c
}

// sendBackDependents returns finished work that was built on work which is not going to land.
func sendBackDependents(ctx context.Context, c session.Control, rejected registry.Agent) error {
	state, err := c.P.Active(ctx)
	if err != nil {
		return err
	}
	for _, ag := range state.Agents {
		for _, id := range ag.Dependencies {
			if id != rejected.ID || ag.Status != registry.Complete {
				continue
			}
			text := fmt.Sprintf("%s, which your work builds on, was rejected. Take out what needs it, or do without.",
				id)
			if _, err := c.SendBack(ctx, ag.ID, text); err != nil {
				return err
			}
		}
	}
	return nil
}
