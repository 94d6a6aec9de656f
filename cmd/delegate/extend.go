package main

import (
	"context"
	"fmt"
	"time"

	"delegate/internal/control"

	"github.com/spf13/cobra"
)

func (a *app) extendCommand() *cobra.Command {
	return a.onAgent("extend AGT DURATION", "give an agent more time; one that timed out goes on", cobra.ExactArgs(2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			by, err := time.ParseDuration(args[1])
			if err != nil || by <= 0 {
				return outcome{}, &usageError{fmt.Errorf("DURATION %q is not a duration above 0, such as 30m", args[1]),
					"delegate extend"}
			}
			return said(hasMore(by.String()))(c.Extend(ctx, args[0], by))
		})
}
