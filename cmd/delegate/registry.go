package main

import "github.com/spf13/cobra"

// registryCommand is `delegate registry check` and `delegate registry restore`.
func (a *app) registryCommand() *cobra.Command {
	return group("registry", "the record of everything", a.registryCheckCommand(), a.registryRestoreCommand())
}
