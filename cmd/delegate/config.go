package main

import (
	"fmt"
	"strings"

	"delegate/internal/project/config"

	"github.com/spf13/cobra"
)

// configCommand is `delegate help config`: the keys of the configuration.
func (a *app) configCommand() *cobra.Command {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is at the root of the main checkout; without it the defaults apply. `delegate init` writes "+
		"one that fits.\n", config.FileName)
	under := ""
	for _, k := range config.Keys() {
		if k.Group != under {
			under = k.Group
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(under))
		}
		fmt.Fprintf(&b, "\n  %s  (%s; default: %s)\n      %s\n      example: %s\n", k.Name, k.Type, k.Default,
			k.Meaning, k.Example)
	}
	c := group("config", "the keys of "+config.FileName)
	c.Long = b.String()
	return c
}
