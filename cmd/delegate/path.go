package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/project"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// pathCommand is `delegate path AGENT`: for `cd "$(delegate path AGENT)"`.
func (a *app) pathCommand() *cobra.Command {
	return a.ofSession(command("path AGENT", "print the path of an agent's worktree, and nothing else",
		cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			p, _, ag, err := a.agent(ctx, args[0])
			if err == nil {
				err = hasWorktree(ctx, p, ag)
			}
			if err != nil {
				return err
			}
			a.printf("%s\n", ag.Worktree)
			return nil
		}))
}

// hasWorktree is an error if the agent has none, or has none any more.
func hasWorktree(ctx context.Context, p *project.Project, ag registry.Agent) error {
	if ag.Worktree == "" || ag.Status == registry.Pending {
		return fmt.Errorf("%s has not started: it has no worktree yet; what it waits for: delegate show %s", ag.Name,
			ag.Name)
	}
	_, err := os.Stat(ag.Worktree)
	switch {
	case errors.Is(err, fs.ErrNotExist) && ag.Status == registry.Spawning:
		return fmt.Errorf("%s is starting: its worktree is not made yet; try again in a moment", ag.Name)
	case errors.Is(err, fs.ErrNotExist):
		work := "it had changed nothing"
		if ag.Head != ag.Base || ag.Flags.Has(registry.FlagSnapshotIncomplete) {
			work = "its work is the " + holder(ctx, p, ag)
		}
		text := fmt.Sprintf("%s has no worktree any more (%s); %s", ag.Name, ag.Worktree, work)
		if next := status.Next(p, ag, nil); next != "" && !ag.Status.Ended() {
			text += "; next: " + next
		}
		return errors.New(text)
	}
	return err
}
