package main

import (
	"github.com/spf13/cobra"
)

// registry is `delegate registry check` and `delegate registry restore`.
func (a *app) registry() *cobra.Command {
	c := command("registry", "the record of everything", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return cmd.Help()
	})
	c.AddCommand(a.registryCheck(), a.registryRestore())
	return c
}
