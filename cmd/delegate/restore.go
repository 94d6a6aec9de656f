package main

import (
	"context"
	"fmt"

	"delegate/internal/control"
	"delegate/internal/sys/run"

	"github.com/spf13/cobra"
)

func (a *app) restoreCommand() *cobra.Command {
	return a.onAgent("restore AGENT", "make an agent's worktree again that was removed, with what its last turn left",
		cobra.ExactArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			ag, err := c.Restore(ctx, args[0])
			said := fmt.Sprintf("The worktree of %s is there again: %s.", ag.Name, ag.Worktree)
			for _, line := range c.P.Config.Setup {
				said += fmt.Sprintf("\nIts setup was not run again: delegate run %s -- sh -c %s", ag.Name,
					run.Quote(text(line)))
			}
			return outcome{agent: ag, said: said}, err
		})
}
