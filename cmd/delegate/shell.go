package main

import (
	"context"
	"os"
	"path/filepath"

	"delegate/internal/sys/run"

	"github.com/spf13/cobra"
)

// shellCommand is `delegate shell AGENT`.
func (a *app) shellCommand() *cobra.Command {
	c := command("shell AGENT", "a shell where an agent works: its worktree, its environment and its sandbox",
		cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			return a.inFence(ctx, args[0], func(p place) error {
				if a.term.Interactive() {
					a.note("this shell works as the program of %s would, in %s; exit ends it", p.agent.Name,
						text(p.agent.Worktree))
				}
				return p.run(ctx, []string{p.shell(ctx)}, "delegate shell")
			})
		})
	c.Long = "Starts $SHELL, or sh if that cannot run inside, in the agent's worktree, with the agent's\n" +
		"environment, home, ports and sandbox. What you change there is the agent's work: its next turn finds\n" +
		"it, and it lands with the rest. The shell may stay open while the agent works. Its exit code is the\n" +
		"command's."
	return c
}

// shell is the person's shell if it can be run inside, else sh.
func (p place) shell(ctx context.Context) string {
	own := os.Getenv("SHELL")
	if filepath.IsAbs(own) {
		if status, err := p.inside.Run(ctx, run.Command{Path: own, Args: []string{"-c", "exit 0"}}); err == nil &&
			status == 0 {
			return own
		}
	}
	return "sh"
}
