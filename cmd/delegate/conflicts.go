package main

import (
	"fmt"

	"delegate/conflict"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type tipView struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
}

type conflictsView struct {
	Base     string             `json:"base"`
	Tips     []tipView          `json:"tips"`
	Findings []conflict.Finding `json:"findings"`
}

// conflicts is `delegate conflicts [REF...]`: the session's agents, or any branches and worktrees.
func (a *app) conflicts() *cobra.Command {
	base := ""
	c := a.jsonFlag(command("conflicts [REF...]", "what pairs of agents, or of any branches and worktrees, do to each other", cobra.ArbitraryArgs,
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return &usageError{fmt.Errorf("one reference has nothing to conflict with: name two or more"), "delegate conflicts"}
			}
			ctx := cmd.Context()
			var p *project.Project
			var err error
			var tips []merge.Tip
			var state registry.State
			if len(args) == 0 {
				if p, state, err = a.active(ctx); err == nil {
					base = state.Session.Base
					tips, err = merge.SessionTips(ctx, p, state)
				}
			} else if p, err = a.open(ctx); err == nil {
				tips, err = merge.NamedTips(ctx, p, args, base)
			}
			if err != nil {
				return err
			}
			b := merge.NewBuilder(p)
			defer b.Close()
			if base, err = b.SharedBase(ctx, tips, base); err != nil {
				return err
			}
			findings, err := b.Compare(ctx, tips)
			if err != nil {
				return err
			}
			return a.printConflicts(conflictsView{Base: base, Tips: viewTips(tips), Findings: findings})
		}))
	c.Flags().StringVar(&base, "base", "", "commit that all the work began at (default: the merge base of each pair)")
	return c
}

func viewTips(tips []merge.Tip) []tipView {
	all := make([]tipView, 0, len(tips))
	for _, t := range tips {
		all = append(all, tipView{Ref: t.Name, Commit: t.Head})
	}
	return all
}

func (a *app) printConflicts(v conflictsView) error {
	if a.json {
		if err := a.printJSON(v); err != nil {
			return err
		}
	} else if len(v.Findings) == 0 {
		a.printf("No conflicts among %s.\n", plural(len(v.Tips), "tip"))
	} else {
		a.printFindings(v.Findings)
	}
	if conflict.Blocking(v.Findings) {
		return errBlocked
	}
	return nil
}

// registry is `delegate registry check`.
func (a *app) registry() *cobra.Command {
	c := command("registry", "the record of everything", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	c.AddCommand(a.registryCheck())
	return c
}
