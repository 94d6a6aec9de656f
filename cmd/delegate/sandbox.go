package main

import "github.com/spf13/cobra"

// sandboxCommand is `delegate sandbox`: what an agent's processes can and cannot do, tried by hand.
func (a *app) sandboxCommand() *cobra.Command {
	c := command("sandbox", "try what an agent's processes can do", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		})
	c.AddCommand(a.sandboxTryCommand())
	return c
}
