package main

import (
	"fmt"
	"strings"

	"delegate/internal/config"

	"github.com/spf13/cobra"
)

// configCommand is `delegate help config`: the keys of the configuration.
func (a *app) configCommand() *cobra.Command {
	var b strings.Builder
	fmt.Fprintf(&b, "%s lies at the root of the main checkout; without it the defaults hold. `delegate init` writes "+
		"one that fits.\n", config.FileName)
	group := ""
	for _, k := range config.Keys() {
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(group))
		}
		fmt.Fprintf(&b, "\n  %s  (%s; default: %s)\n      %s\n      example: %s\n", k.Name, k.Type, k.Default,
			k.Meaning, k.Example)
	}
	return &cobra.Command{Use: "config", Short: "the keys of " + config.FileName, Long: b.String()}
}
