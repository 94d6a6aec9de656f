package main

import "github.com/spf13/cobra"

// registryCommand is `delegate registry check`, `restore` and `merge`.
func (a *app) registryCommand() *cobra.Command {
	return group("registry", "check or restore the record of sessions",
		a.registryCheckCommand(), a.registryRestoreCommand(),
		a.registryMergeCommand())
}
