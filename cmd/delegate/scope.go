package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/view/status"
	"delegate/registry"
	"delegate/scope"

	"github.com/spf13/cobra"
)

func (a *app) scopeCommand() *cobra.Command {
	var change control.ScopeChange
	c := a.onAgent(`scope AGENT ["REASON"] [--allow GLOB] [--disallow GLOB] [--drop PATH]`,
		"show what an agent may write, change it, or undo changes", cobra.RangeArgs(1, 2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			change.Why = strings.Join(args[1:], " ")
			ag, outside, err := c.Outside(ctx, args[0])
			nothing := len(change.Allow)+len(change.Disallow)+len(change.Drop) == 0
			if nothing && change.Why != "" {
				return outcome{}, &usageError{fmt.Errorf("%q is a reason, and nothing is changed", change.Why),
					"delegate scope"}
			}
			if err != nil || nothing {
				return outcome{agent: ag, said: limitsOf(ag) + outsideWords(c.P, ag, outside)}, err
			}
			if len(change.Allow) > 0 {
				if err := a.ofPerson(); err != nil {
					return outcome{}, err
				}
			}
			ag, overlaps, err := c.ChangeScope(ctx, args[0], change)
			if err != nil {
				return outcome{}, err
			}
			said := mayWrite(ag, overlaps)
			matchless, err := c.Matchless(ctx, ag, outside, change.Allow)
			if err != nil {
				return outcome{}, err
			}
			for _, glob := range matchless {
				said += fmt.Sprintf("\n%s matches no file that is there, nor one outside of its scope that %s "+
					"changed or was refused. Misspelled?", text(glob), ag.Name) + outsideWords(c.P, ag, outside)
			}
			if len(change.Drop) > 0 {
				said += fmt.Sprintf("\nTaken back in its worktree: %s. Its head before that is kept under "+
					"refs/delegate/.", text(strings.Join(change.Drop, ", ")))
			}
			return outcome{agent: ag, said: said}, nil
		})
	c.Flags().StringArrayVar(&change.Allow, "allow", nil, "glob to add to what it may write (recorded)")
	c.Flags().StringArrayVar(&change.Disallow, "disallow", nil, "glob to remove from that again (recorded)")
	c.Flags().StringArrayVar(&change.Drop, "drop", nil,
		"path whose changes are undone in its worktree (kept under a ref)")
	return c
}

// limitsOf is what an agent may write, and what it may not.
func limitsOf(ag registry.Agent) string {
	return fmt.Sprintf("%s may write: %s\nmay not:   %s", ag.Name, text(strings.Join(ag.Allowed, ", ")),
		mayNot(ag.Forbidden))
}

// outsideWords list what an agent changed, or tried to, outside of its scope, and what to type about it; "" for
// nothing.
func outsideWords(p *project.Project, ag registry.Agent, o control.Outside) (words string) {
	if len(o.Changed) > 0 {
		words += fmt.Sprintf("\nchanged outside of it: %s\n  → delegate scope %s --allow %s, or --drop %s",
			someNames(o.Changed), ag.Name, text(run.AsTyped(o.Changed[:1])), text(run.AsTyped(o.Changed[:1])))
	}
	if len(o.Refused) > 0 {
		words += "\nrefused outside of it: " + someNames(o.Refused)
		for _, way := range status.Allowing(p, ag).Each() {
			words += "\n  → " + text(way)
		}
	}
	return words
}

// mayNot lists what an agent may not write: what its scope forbids, and what every scope does.
func mayNot(forbidden []string) string {
	always := text(strings.Join(scope.AlwaysForbiddenInShort(), ", ")) + " (always)"
	if len(forbidden) == 0 {
		return always
	}
	return text(strings.Join(forbidden, ", ")) + ", " + always
}
