package overview

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/land/compare"
	"delegate/internal/project"
	"delegate/registry"
)

// Comparison is what was found between agents, landed or not, and between those that have not landed and the target.
type Comparison struct {
	Findings []conflict.Finding
	Names    []string // of the agents that were compared, in the order of the ids, the target last
	Gaps     []string // who could not be compared
}

// Compare looks for conflicts: between all agents with work, landed or not, and of what has not landed with the target.
func Compare(ctx context.Context, p *project.Project, state registry.State) (c Comparison, err error) {
	b := compare.New(p)
	defer b.Close()
	store := objects.New(p.Repo)
	defer store.Close()
	var tips, target []objects.Span
	if !Ended(state) {
		if tips, c.Gaps, err = readable(ctx, p, state); err != nil {
			return c, err
		}
	}
	if n := len(tips); n > 0 && tips[n-1].Name == project.TargetName {
		target, tips = tips[n-1:], tips[:n-1]
	}
	open := len(tips)
	for _, a := range state.Agents {
		if a.Head == "" || a.Base == "" || named(tips, a.ID) || a.Status == registry.Aborted {
			continue
		}
		_, err := store.Commit(ctx, a.Head)
		if errors.Is(err, git.ErrNoCommit) {
			c.Gaps = append(c.Gaps,
				fmt.Sprintf("conflicts of %s: its head %.12s is not in the repository any more", a.ID, a.Head))
			continue
		}
		if err != nil {
			return c, err
		}
		tips = append(tips, objects.Span{Name: a.ID, Head: a.Head})
	}
	found, err := b.Compare(ctx, tips, analyze.Checked)
	if err != nil {
		return c, err
	}
	for _, t := range tips[:open] {
		if len(target) == 0 {
			break
		}
		more, err := b.Compare(ctx, append([]objects.Span{t}, target...), analyze.Checked)
		if err != nil {
			return c, err
		}
		found = append(found, more...)
	}
	c.Findings = conflict.Sorted(found)
	if len(tips)+len(target) < 2 {
		return c, nil
	}
	for _, a := range state.Agents {
		if named(tips, a.ID) {
			c.Names = append(c.Names, a.ID)
		}
	}
	if len(target) > 0 {
		c.Names = append(c.Names, project.TargetName)
	}
	return c, nil
}

// readable are the tips of a session, and what could not be read for one.
func readable(ctx context.Context, p *project.Project, state registry.State) (tips []objects.Span, gaps []string,
	err error) {
	tips, unread, err := compare.SessionTips(ctx, p, state)
	for _, f := range unread {
		gaps = append(gaps, f.Message)
	}
	return tips, gaps, err
}

func named(tips []objects.Span, id string) bool {
	return slices.ContainsFunc(tips, func(t objects.Span) bool { return t.Name == id })
}
