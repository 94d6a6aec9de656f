package main

import (
	"context"

	"delegate/internal/session"

	"github.com/spf13/cobra"
)

// learningsCommand is `delegate learnings`: what failed before.
func (a *app) learningsCommand() *cobra.Command {
	c := a.jsonFlag(command("learnings", "show what failed before, newest first; agents with similar tasks are told",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			return a.printRecord(p, session.Learnings(p).Path, "Nothing has failed yet.")
		}))
	c.Long = "Each failure of an agent is kept in docs/logs/delegation_learnings.md with how often it was seen; " +
		"three times or more is marked\n" +
		"for promotion: make it a rule of your project. Edit the file freely."
	return c
}
