package main

import (
	"context"

	"delegate/internal/control/session"

	"github.com/spf13/cobra"
)

// learningsCommand is `delegate learnings`: what failed before.
func (a *app) learningsCommand() *cobra.Command {
	c := a.jsonFlag(command("learnings", "show what failed before, newest first; agents with similar tasks get it",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			return a.printRecord(p, session.Learnings(p).Path, "Nothing has failed yet.")
		}))
	c.Long = "Each failure of an agent is recorded in docs/logs/delegation_learnings.md with how often it\n" +
		"occurred. A failure that occurred three times or more is marked for promotion: make it a rule of\n" +
		"your project. You can edit the file freely."
	return c
}
