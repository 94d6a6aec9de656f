package merge

import (
	"context"
	"fmt"

	"delegate/internal/config"
	"delegate/internal/project"
	"delegate/registry"
)

// BuildRollback makes the candidate that takes back an agent's landing: the target as it is now without those changes, built and tested like any other.
func (b *Builder) BuildRollback(ctx context.Context, state registry.State, id string) (Candidate, error) {
	a, err := project.Find(state, id)
	if err != nil {
		return Candidate{}, err
	}
	if _, err := registry.Next(a.Status, registry.EventRolledBack, registry.Person); err != nil {
		return Candidate{}, &NotMergedError{Agent: a.ID, Status: a.Status}
	}
	c := Candidate{Kind: Rollback, Session: *state.Session, Mode: config.LandByMerge, Target: "refs/heads/" + state.Session.Target}
	if c.Tip, err = b.p.Target(ctx, c.Session); err != nil {
		return Candidate{}, err
	}
	m := Member{Agent: a, Onto: c.Tip, Work: project.Work{Head: a.Head, Fork: a.Base}}
	if m.Theirs, err = b.inverse(ctx, a.MergeCommit, a.MergedOnto); err != nil {
		return Candidate{}, err
	}
	if err := b.fold(ctx, &c, &m); err != nil {
		return Candidate{}, err
	}
	c.Members = []Member{m}
	if m.Tree == "" {
		return Candidate{}, fmt.Errorf("roll back %s: later changes on %s build on it, so git cannot take it out; revert by hand with git revert -m 1 %.12s",
			a.ID, state.Session.Target, a.MergeCommit)
	}
	if err := b.finish(ctx, &c); err != nil {
		return Candidate{}, err
	}
	c.Digest = c.digest()
	return c, nil
}

// NotMergedError says that there is no landing of the agent to take back.
type NotMergedError struct {
	Agent  string
	Status registry.Status
}

func (e *NotMergedError) Error() string {
	return fmt.Sprintf("roll back %s: it is %s, and only MERGED work can be taken back", e.Agent, e.Status)
}

// inverse is a commit on top of the given one with the tree from before it, so that merging it takes the changes since then back.
// before is "" for the commit's first parent. Its time is the commit's own, so that building it again gives the same commit.
func (b *Builder) inverse(ctx context.Context, commit, before string) (string, error) {
	tree, err := b.p.Repo.TreeOf(ctx, orElse(before, commit+"^1"))
	if err != nil {
		return "", err
	}
	return b.p.Repo.CommitTreeLike(ctx, tree, "Take back "+commit+"\n", commit)
}

// reinstated brings back, on top of what the member is folded onto, what a rollback of this agent took away: its head alone would merge as "already there".
func (b *Builder) reinstated(ctx context.Context, m Member) (string, error) {
	if m.Agent.RolledBack == "" {
		return "", nil
	}
	back, err := b.inverse(ctx, m.Agent.RolledBack, "")
	if err != nil {
		return "", err
	}
	merged, err := b.p.Repo.Merge(ctx, m.Onto, back)
	if err != nil {
		return "", err
	}
	if !merged.Clean {
		return "", fmt.Errorf("land %s again after its rollback: the target has changed the same places since; send it back with delegate message %s", m.Agent.ID, m.Agent.ID)
	}
	return b.p.Repo.CommitTreeLike(ctx, merged.Tree, "Bring back "+m.Agent.ID+"\n", m.Onto)
}
