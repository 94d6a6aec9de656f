package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

// abortHelp is what a yes to it does.
const abortHelp = "cancel it; its branch and worktree are kept"

func (a *app) abortCommand() *cobra.Command {
	yes := false
	c := a.onAgent(`abort AGENT ["REASON"]`, "cancel an agent; its branch and worktree are kept", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			state, err := c.Current(ctx)
			if err != nil {
				return outcome{}, err
			}
			ag, err := state.Find(args[0])
			if err != nil {
				return outcome{}, err
			}
			if err := a.confirm(ctx, fmt.Sprintf("Abort %s?", ag.Name), abortHelp, yes); err != nil {
				return outcome{}, err
			}
			ag, err = c.Reject(ctx, ag.ID, strings.Join(args[1:], " "))
			return outcome{agent: ag, said: isAborted(ctx, c.P, ag)}, err
		})
	yesFlag(c, &yes)
	return c
}
