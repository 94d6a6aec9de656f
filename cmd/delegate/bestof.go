package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"delegate/internal/control"
	"delegate/internal/land/candidate"
	"delegate/internal/text/ui"
	"delegate/internal/view/watch"
	"delegate/registry"
)

// printAlternatives sets those side by side that were given the same task.
func (a *app) printAlternatives(state registry.State, ready []registry.Agent) {
	var printed []string
	for _, first := range ready {
		if first.BestOf == "" || slices.Contains(printed, first.BestOf) {
			continue
		}
		printed = append(printed, first.BestOf)
		a.printf("\nOne task, several results: %s. Merge one; the others are set aside then.\n", text(first.BestOf))
		var rows [][]string
		for _, ag := range state.Agents {
			if ag.BestOf == first.BestOf {
				rows = append(rows, []string{ag.Name, ag.Profile, watch.State(a.term.Style, ag.Status, ag.Word()),
					strconv.Itoa(len(ag.ChangedFiles())), fmt.Sprintf("+%d −%d", ag.Insertions, ag.Deletions),
					watch.Tests(a.term.Style, ag.Tests)})
			}
		}
		ui.Table(a.out, []string{"Agent", "Program", "Status", "Files", "Lines", "Tests"}, rows, a.term.Width())
	}
}

// oneOfEach are the agents without those that were given the same task as one before them.
func oneOfEach(agents []registry.Agent) (all []registry.Agent) {
	for _, ag := range agents {
		if ag.BestOf == "" || !slices.ContainsFunc(all, func(other registry.Agent) bool {
			return other.BestOf == ag.BestOf
		}) {
			all = append(all, ag)
		}
	}
	return all
}

// isSetAside says whether one of these was given up meanwhile for another of the same task.
func isSetAside(ctx context.Context, who control.Control, ids []string) (bool, error) {
	state, err := who.Current(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(state.Agents, func(ag registry.Agent) bool {
		return ag.BestOf != "" && ag.Status == registry.Aborted && slices.Contains(ids, ag.ID)
	}), nil
}

// agentsIn are the agents of a candidate.
func agentsIn(c candidate.Candidate) (all []registry.Agent) {
	for _, m := range c.Members {
		all = append(all, m.Agent)
	}
	return all
}

// setAside gives up those that were given the same task as one that was merged. Their work is kept.
func (a *app) setAside(ctx context.Context, who control.Control, merged []registry.Agent) error {
	for _, done := range merged {
		if done.BestOf == "" {
			continue
		}
		state, err := who.Current(ctx)
		if err != nil {
			return err
		}
		for _, other := range state.Agents {
			if other.BestOf != done.BestOf || other.Status.Ended() {
				continue
			}
			if _, err := who.Abort(ctx, other.ID, done.ID+" was merged for the same task"); err != nil {
				return err
			}
			a.printf("%s is set aside: %s was merged for the same task. Its branch and worktree stay until delegate "+
				"clean.\n", other.Name, done.Name)
		}
	}
	return nil
}
