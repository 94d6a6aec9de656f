package main

import (
	"context"
	"strings"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) forceCompleteCommand() *cobra.Command {
	return a.onAgent(`force-complete AGENT ["REASON"]`, "mark an agent as done, with its current work",
		cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if err := a.ofPerson(); err != nil {
				return outcome{}, err
			}
			ag, err := c.ForceComplete(ctx, args[0], strings.Join(args[1:], " "))
			return outcome{agent: ag, said: isForced(a.opened, ag)}, err
		})
}
