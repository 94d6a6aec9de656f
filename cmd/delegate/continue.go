package main

import (
	"context"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) continueCommand() *cobra.Command {
	return a.onAgent(`continue AGT ["MESSAGE"]`, "give a reviewed agent its next turn, with an answer",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			return said(goesOn)(c.Continue(ctx, args[0], strings.Join(args[1:], " ")))
		})
}
