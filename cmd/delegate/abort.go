package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) abortCommand() *cobra.Command {
	yes := false
	c := a.onAgent(`abort AGT ["REASON"]`, "cancel an agent; its branch and worktree are kept", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if err := a.confirm(ctx, fmt.Sprintf("Abort %s?", args[0]), yes); err != nil {
				return outcome{}, err
			}
			return said(isAborted)(abortAgent(ctx, c, args[0], strings.Join(args[1:], " ")))
		})
	yesFlag(c, &yes)
	return c
}

// abortAgent gives an agent up, and returns finished work that was built on its work, which is not going to land.
func abortAgent(ctx context.Context, c control.Control, id, reason string) (registry.Agent, error) {
	rejected, err := c.Abort(ctx, id, reason)
	if err != nil {
		return rejected, err
	}
	state, err := c.P.Active(ctx)
	if err != nil {
		return rejected, err
	}
	for _, ag := range state.Agents {
		if ag.Status != registry.Complete || !slices.Contains(ag.Dependencies, rejected.ID) {
			continue
		}
		message := fmt.Sprintf("%s, which your work builds on, was rejected. Take out what needs it, or do without.",
			rejected.ID)
		if _, err := c.SendBack(ctx, ag.ID, message); err != nil {
			return rejected, err
		}
	}
	return rejected, nil
}
