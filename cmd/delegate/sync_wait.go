package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"delegate/internal/view/status"

	"github.com/spf13/cobra"
)

func (a *app) syncWaitCommand() *cobra.Command {
	return command("wait", "wait for the agents, then report", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			return a.syncWait(ctx)
		})
}

func (a *app) syncWait(ctx context.Context) error {
	p, _, err := a.active(ctx)
	if err != nil {
		return err
	}
	for {
		results, err := status.Wait(ctx, p, nil, 30*time.Second)
		if err != nil {
			return err
		}
		if !anyTimedOut(results) {
			break
		}
		fmt.Fprintf(a.err, "still working …\n")
	}
	return a.syncStatus(ctx)
}

func anyTimedOut(results []status.Waited) bool {
	return slices.ContainsFunc(results, func(r status.Waited) bool { return r.TimedOut })
}
