package main

import (
	"context"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) reassignCommand() *cobra.Command {
	profile := ""
	c := a.onAgent("reassign AGENT [--agent PROFILE]", "give a task to a new agent, which learns what was tried",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if err := a.ofPerson(); err != nil {
				return outcome{}, err
			}
			return said(hasSubtask)(c.Reassign(ctx, args[0], profile))
		})
	c.Flags().StringVar(&profile, "agent", "", "profile of the agent program (default: the same)")
	return c
}
