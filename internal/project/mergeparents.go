package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/registry"
)

// TargetName is how the target is called in findings, beside agents' ids.
const TargetName = "target"

// OneLine is a text as a row or a message can have it: with its line breaks and runs of blanks as one blank each.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// MergeInputs is an agent's head that is about to be merged with a commit.
type MergeInputs struct {
	Agents []registry.Agent // of the session
	Agent  registry.Agent
	Base   string
	Head   string
}

// MergeParents are the two commits whose merge is that of Base and Head: these two, unless history
// alone would mislead git.
//
// After a rollback the agent's commits are in the history and their changes are not: git would take
// them for there already. So both sides are put on the commit that the agent's work began at, and
// meet there as if they had never met. After a squash or rebase of what the agent builds on, or of its own work as it
// was when others merged it, it is the other way round: the changes are there and the commits are not, so these become
// parents of Base.
// What is made is in no history, and the same input gives the same commits.
func (p *Project) MergeParents(ctx context.Context, m MergeInputs) (ours, theirs string, err error) {
	if m.Agent.RolledBack != "" {
		known, err := p.knows(ctx, m)
		if err != nil {
			return "", "", err
		}
		if known {
			return p.apart(ctx, m)
		}
	}
	heads, err := p.replaced(ctx, m)
	if err != nil || len(heads) == 0 {
		return m.Base, m.Head, err
	}
	tree, err := p.Repo.TreeOf(ctx, m.Base)
	if err != nil {
		return "", "", err
	}
	ours, err = p.Repo.CommitTreeLike(ctx, tree, "What "+m.Agent.ID+" builds on\n",
		append([]string{m.Base}, heads...)...)
	return ours, m.Head, err
}

// apart puts both sides on the commit that the agent's work began at.
func (p *Project) apart(ctx context.Context, m MergeInputs) (ours, theirs string, err error) {
	var made [2]string
	for i, commit := range []string{m.Base, m.Head} {
		tree, err := p.Repo.TreeOf(ctx, commit)
		if err != nil {
			return "", "", err
		}
		if made[i], err = p.Repo.CommitTreeLike(ctx, tree,
			fmt.Sprintf("As %s would be without the rollback of %s\n", commit, m.Agent.ID), m.Agent.Base); err != nil {
			return "", "", err
		}
	}
	return made[0], made[1], nil
}

// knows reports whether Base's history has commits that the agent made since its base.
func (p *Project) knows(ctx context.Context, m MergeInputs) (bool, error) {
	shared, err := p.Repo.MergeBase(ctx, m.Base, m.Head)
	if err != nil {
		return false, err
	}
	older, err := p.Repo.IsAncestor(ctx, shared, m.Agent.Base)
	return !older, err
}

// Inverse is a commit on top of the given one with the tree from before it, so that merging it
// takes the changes since then back. before is "" for the commit's first parent. Its time is the
// commit's own, so that building it again gives the same commit.
func (p *Project) Inverse(ctx context.Context, commit, before string) (string, error) {
	if before == "" {
		before = commit + "^1"
	}
	tree, err := p.Repo.TreeOf(ctx, before)
	if err != nil {
		return "", err
	}
	return p.Repo.CommitTreeLike(ctx, tree, "Take back "+commit+"\n", commit)
}

// replaced are the heads of landed work that the agent's head holds, that Base holds the changes
// of, and that its history lacks.
func (p *Project) replaced(ctx context.Context, m MergeInputs) ([]string, error) {
	var landed []registry.Agent
	var all, heads []string
	for _, a := range m.Agents {
		if r := a.PullRequest; a.ID == m.Agent.ID && r.State == registry.PullRequestMerged {
			a.Head, a.MergeCommit = r.Of, r.Head // others merged it as it was then
		} else if a.Status != registry.Merged || a.ID == m.Agent.ID {
			continue
		}
		if a.Head != "" && a.MergeCommit != "" {
			landed, all = append(landed, a), append(all, a.Head)
		}
	}
	lacking := map[string]bool{}
	if err := p.Repo.Beyond(ctx, all, []string{m.Base}, func(id string) { lacking[id] = true }); err != nil {
		return nil, err
	}
	for _, a := range landed {
		if !lacking[a.Head] || slices.Contains(heads, a.Head) {
			continue
		}
		held, err := p.Repo.IsAncestor(ctx, a.Head, m.Head)
		if err == nil && held {
			held, err = p.Repo.IsAncestor(ctx, a.MergeCommit, m.Base)
		}
		if err != nil {
			return nil, err
		}
		if held {
			heads = append(heads, a.Head)
		}
	}
	return heads, nil
}
