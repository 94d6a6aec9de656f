package main

import "github.com/spf13/cobra"

// sandboxCommand is `delegate sandbox`: what an agent's processes can and cannot do, tried by hand.
func (a *app) sandboxCommand() *cobra.Command {
	return group("sandbox", "try what an agent can do", a.sandboxTryCommand())
}
