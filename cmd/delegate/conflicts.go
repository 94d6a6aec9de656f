package main

import (
	"context"
	"fmt"
	"slices"

	"delegate/conflict"
	"delegate/internal/compare"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/ui"
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

// conflictsCommand is `delegate conflicts [REF...]`: the session's agents, or any branches and worktrees.
func (a *app) conflictsCommand() *cobra.Command {
	base, depth := "", string(compare.Checked)
	c := a.jsonFlag(command("conflicts [REF...]",
		"find conflicts between agents, or between any branches and worktrees", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			if len(args) == 1 {
				return &usageError{fmt.Errorf("one reference has nothing to conflict with: name two or more"),
					"delegate conflicts"}
			}
			if !slices.Contains(compare.Depths(), compare.Depth(depth)) {
				return &usageError{fmt.Errorf("depth %q is none of text, symbols, checked", depth),
					"delegate conflicts --depth symbols"}
			}
			v, err := a.compareTips(ctx, args, base, compare.Depth(depth))
			if err != nil {
				return err
			}
			return a.printConflicts(v)
		}))
	c.Flags().StringVar(&base, "base", "", "commit that all the work began at (default: the merge base of each pair)")
	c.Flags().StringVar(&depth, "depth", depth, "how far to look: text (git's own merge), symbols (what the code "+
		"defines and uses), checked (a type checker where something is suspected)")
	return c
}

// compareTips compares the references or worktrees, or the session's agents where none are named.
func (a *app) compareTips(ctx context.Context, names []string, base string, depth compare.Depth) (conflictsView,
	error) {
	var p *project.Project
	var state registry.State
	var err error
	if len(names) == 0 {
		p, state, err = a.active(ctx)
	} else {
		p, err = a.open(ctx)
	}
	if err != nil {
		return conflictsView{}, err
	}
	b := compare.New(p)
	defer b.Close()
	var tips []objects.Span
	if len(names) == 0 {
		base = state.Session.Base
		tips, err = compare.SessionTips(ctx, p, state)
	} else {
		tips, err = b.NamedTips(ctx, names, base)
	}
	if err != nil {
		return conflictsView{}, err
	}
	findings, err := b.Compare(ctx, tips, depth)
	if err != nil {
		return conflictsView{}, err
	}
	base, err = b.SharedBase(ctx, tips, base)
	return conflictsView{Base: base, Tips: viewTips(tips), Findings: findings}, err
}

func viewTips(tips []objects.Span) []tipView {
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
		a.printf("No conflicts among %s.\n", ui.Plural(len(v.Tips), "tip"))
	} else {
		a.printFindings(named(a.state, v.Findings))
	}
	if conflict.Blocking(v.Findings) {
		return errBlocked
	}
	return nil
}
