package main

import "github.com/spf13/cobra"

// registryCommand is `delegate registry check` and `delegate registry restore`.
func (a *app) registryCommand() *cobra.Command {
	c := command("registry", "the record of everything", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return cmd.Help()
	})
	c.AddCommand(a.registryCheckCommand(), a.registryRestoreCommand())
	return c
}
