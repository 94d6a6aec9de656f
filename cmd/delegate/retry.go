package main

import (
	"context"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) retryCommand() *cobra.Command {
	return a.onAgent("retry AGENT", "start a failed agent again on a new branch; the old branch is kept",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			return said(startsAgain)(c.Retry(ctx, args[0]))
		})
}
