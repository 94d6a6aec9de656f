package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// runCommand is `delegate run AGENT -- COMMAND`.
func (a *app) runCommand() *cobra.Command {
	c := command("run AGENT [--] COMMAND [ARGS]",
		"run a command where an agent works, such as a development server, until it ends or you press Ctrl-C",
		cobra.MinimumNArgs(2),
		func(ctx context.Context, args []string) error {
			if word := args[1]; strings.HasPrefix(word, "-") && word != "--" {
				return &usageError{fmt.Errorf("a command is expected in place of %q; flags come before AGENT", word),
					"delegate run"}
			}
			return a.inFence(ctx, args[0], func(p place) error {
				if err := p.over(ctx); err != nil {
					return fmt.Errorf("nothing runs in its worktree any more: %w", err)
				}
				if port := p.inside.Port(); port > 0 {
					p.env = []string{"PORT=" + strconv.Itoa(port)}
					a.note("the ports of %s begin at %d ($PORT)", p.agent.Name, port)
				}
				within, end := p.whileThere(ctx)
				defer end()
				return p.run(within, args[1:], "delegate run")
			})
		})
	c.Flags().SetInterspersed(false)
	c.Long = "Runs the command in the agent's worktree, with its environment, home, ports and sandbox. $PORT is\n" +
		"the first of its ports, unless its profile sets another. The command keeps running while the agent\n" +
		"works, and ends when the agent is aborted, merged or restarted, and when its worktree is removed.\n" +
		"Its exit code is the command's."
	return c
}
