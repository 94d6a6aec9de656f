package main

import (
	"context"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) continueCommand() *cobra.Command {
	return a.onAgent(`continue AGENT ["MESSAGE"]`, "answer an agent that is waiting for you, and give it its next turn",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			return said(a.goesOn)(c.Continue(ctx, args[0], strings.Join(args[1:], " ")))
		})
}
