package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/tidy/cleanup"

	"github.com/spf13/cobra"
)

// cleanCommand is `delegate clean`: what sessions and agents left goes, after a question.
func (a *app) cleanCommand() *cobra.Command {
	var chosen cleanup.Selection
	var merged, yes bool
	c := a.jsonFlag(command("clean", "remove what sessions and agents left, after a question", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return a.clean(ctx, chosen, yes) }))
	c.Flags().BoolVar(&merged, "merged", false, "only what has landed or is empty (the default)")
	c.Flags().BoolVar(&chosen.All, "all", false, "also work that never landed, which stays under a ref")
	c.Flags().Var(durationFlag{&chosen.Older, "--older", "d"}, "older",
		"only what was not touched for that long, e.g. 7d")
	c.MarkFlagsMutuallyExclusive("merged", "all")
	yesFlag(c, &yes)
	c.Long = "Lists worktrees, branches, refs, folders and logs left by sessions and agents, with the unmerged\n" +
		"work in each, and asks once. Ignored files and worktrees in use stay, each with the reason and the\n" +
		"command to run. Later changes in a worktree are kept with its commits.\n" +
		"With --json it only lists, unless --yes is given."
	return c
}

// cleanView is what clean answers with --json.
type cleanView struct {
	Items []cleanItem `json:"items"`
}

// cleanItem is one thing, with what is to become of it and what became of it.
type cleanItem struct {
	cleanup.Planned
	Outcome cleanup.Outcome `json:"outcome"` // "" while nothing was removed
	Error   string          `json:"error"`
}

// clean lists, asks and removes; yes answers the question.
func (a *app) clean(ctx context.Context, chosen cleanup.Selection, yes bool) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, err := p.Store.View(ctx)
	if err != nil {
		return err
	}
	if state.Session == nil { // a supervisor that still ends one has its worktrees in use
		if err := session.AwaitLeave(ctx, p, 10*time.Second); err != nil {
			return err
		}
	}
	items, err := cleanup.Find(ctx, p)
	if err != nil {
		return err
	}
	chosen.OnlyCopies = a.term.Interactive() && !yes // whoever says yes has seen what goes for good
	v := cleanView{Items: []cleanItem{}}
	var goes []cleanup.Item
	for _, planned := range chosen.Plan(items, p.Now()) {
		v.Items = append(v.Items, cleanItem{Planned: planned})
		if planned.Decision == cleanup.ToRemove {
			goes = append(goes, planned.Item)
		}
	}
	if a.json && !yes {
		return a.printJSON(v)
	}
	if !a.json {
		a.printClean(ctx, p, v)
	}
	if len(goes) > 0 {
		if err := a.confirm(ctx, "Remove these?", "remove what is listed above, and nothing that changes until then",
			yes); err != nil {
			return err
		}
	}
	return a.removeItems(ctx, p, v, goes)
}

// removeItems removes what was chosen, and tells what became of it.
func (a *app) removeItems(ctx context.Context, p *project.Project, v cleanView, goes []cleanup.Item) error {
	var results []cleanup.Result
	var err error
	if len(goes) > 0 {
		results, err = cleanup.Remove(ctx, p, goes)
	}
	next := 0
	for i, it := range v.Items {
		if it.Decision == cleanup.ToRemove && next < len(results) {
			r := results[next]
			v.Items[i].Item, v.Items[i].Outcome, v.Items[i].Error = r.Item, r.Outcome, r.Error
			next++
		}
	}
	if a.json {
		if printErr := a.printJSON(v); err == nil {
			err = printErr
		}
	} else {
		a.printCleaned(results)
	}
	failed := func(r cleanup.Result) bool { return r.Outcome == cleanup.Failed }
	if slices.ContainsFunc(results, failed) {
		err = errors.Join(err, errNotCleaned)
	}
	return err
}

// errNotCleaned says that something is still there that was to be removed.
var errNotCleaned = errors.New("not everything could be removed")
