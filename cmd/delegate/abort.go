package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) abortCommand() *cobra.Command {
	yes := false
	c := a.onAgent(`abort AGENT ["REASON"]`, "cancel an agent; its branch and worktree are kept", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if err := a.confirm(ctx, fmt.Sprintf("Abort %s?", args[0]), "cancel it; its branch and worktree are kept",
				yes); err != nil {
				return outcome{}, err
			}
			return said(isAborted)(c.Reject(ctx, args[0], strings.Join(args[1:], " ")))
		})
	yesFlag(c, &yes)
	return c
}
