package project

import (
	"context"
	"fmt"
	"slices"

	"delegate/registry"
)

// Meeting is an agent's head that is about to be merged with a commit.
type Meeting struct {
	Agents []registry.Agent // of the session
	Agent  registry.Agent
	Onto   string
	Head   string
}

// NotReinstatedError says that what a rollback took away cannot be brought in again, since the same places have changed.
type NotReinstatedError struct{ Agent string }

func (e *NotReinstatedError) Error() string {
	return fmt.Sprintf("land %s again after its rollback: the target has changed the same places since; send it back with delegate message %s", e.Agent, e.Agent)
}

// Ground is the commit that the head has to be merged with in place of Onto, where history alone would mislead git's merge; Onto itself elsewhere.
//
// After a rollback the agent's commits are in the history and their changes are not: git would take them for there already, so they are brought in again.
// After a squash or rebase of what the agent builds on it is the other way round: the changes are there and the commits are not, so these are joined to it.
// The result is in no history, and the same input gives the same commit. A *NotReinstatedError if bringing in again fails.
func (p *Project) Ground(ctx context.Context, m Meeting) (string, error) {
	ground := m.Onto
	if m.Agent.RolledBack != "" {
		known, err := p.knows(ctx, m)
		if err != nil {
			return "", err
		}
		if known {
			if ground, err = p.reinstated(ctx, m); err != nil {
				return "", err
			}
		}
	}
	heads, err := p.replaced(ctx, m)
	if err != nil || len(heads) == 0 {
		return ground, err
	}
	tree, err := p.Repo.TreeOf(ctx, ground)
	if err != nil {
		return "", err
	}
	return p.Repo.CommitTreeLike(ctx, tree, "What "+m.Agent.ID+" builds on\n", append([]string{ground}, heads...)...)
}

// knows reports whether Onto's history has commits that the agent made since its base.
func (p *Project) knows(ctx context.Context, m Meeting) (bool, error) {
	shared, err := p.Repo.MergeBase(ctx, m.Onto, m.Head)
	if err != nil {
		return false, err
	}
	older, err := p.Repo.IsAncestor(ctx, shared, m.Agent.Base)
	return !older, err
}

func (p *Project) reinstated(ctx context.Context, m Meeting) (string, error) {
	back, err := p.Inverse(ctx, m.Agent.RolledBack, "")
	if err != nil {
		return "", err
	}
	merged, err := p.Repo.Merge(ctx, m.Onto, back)
	if err != nil {
		return "", err
	}
	if !merged.Clean {
		return "", &NotReinstatedError{m.Agent.ID}
	}
	return p.Repo.CommitTreeLike(ctx, merged.Tree, "Bring back "+m.Agent.ID+"\n", m.Onto)
}

// Inverse is a commit on top of the given one with the tree from before it, so that merging it takes the changes since then back.
// before is "" for the commit's first parent. Its time is the commit's own, so that building it again gives the same commit.
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

// replaced are the heads of landed work that the agent's head holds, that Onto holds the changes of, and that its history lacks.
func (p *Project) replaced(ctx context.Context, m Meeting) ([]string, error) {
	var heads []string
	for _, a := range m.Agents {
		if a.Status != registry.Merged || a.Head == "" || a.MergeCommit == "" || a.ID == m.Agent.ID {
			continue
		}
		there, err := p.between(ctx, a, m)
		if err != nil {
			return nil, err
		}
		if there && !slices.Contains(heads, a.Head) {
			heads = append(heads, a.Head)
		}
	}
	return heads, nil
}

func (p *Project) between(ctx context.Context, a registry.Agent, m Meeting) (bool, error) {
	for _, step := range []struct {
		old, new string
		want     bool
	}{{a.Head, m.Onto, false}, {a.Head, m.Head, true}, {a.MergeCommit, m.Onto, true}} {
		if is, err := p.Repo.IsAncestor(ctx, step.old, step.new); err != nil || is != step.want {
			return false, err
		}
	}
	return true, nil
}
