package main

import "github.com/spf13/cobra"

// closeCommand is `delegate close`, the name that interrupt had before.
func (a *app) closeCommand() *cobra.Command {
	c := a.interruptCommand()
	c.Use, c.Hidden = "close AGT", true
	return c
}
