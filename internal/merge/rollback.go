package merge

import (
	"context"
	"fmt"

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
	c := Candidate{Kind: Rollback, Session: *state.Session, Agent: a, Target: "refs/heads/" + state.Session.Target}
	if c.Tip, err = b.p.Target(ctx, c.Session); err != nil {
		return Candidate{}, err
	}
	c.Work = project.Work{Head: a.Head, Fork: a.Base}
	if c.Theirs, err = b.inverse(ctx, a.MergeCommit); err != nil {
		return Candidate{}, err
	}
	if err := b.complete(ctx, &c); err != nil {
		return Candidate{}, err
	}
	if c.Tree == "" {
		return Candidate{}, fmt.Errorf("roll back %s: later changes on %s build on it, so git cannot take it out; revert by hand with git revert -m 1 %.12s",
			a.ID, state.Session.Target, a.MergeCommit)
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

// inverse is a commit on top of the given one with the tree from before it, so that merging it takes the commit's changes back.
// Its time is the commit's own, so that building it again gives the same commit.
func (b *Builder) inverse(ctx context.Context, commit string) (string, error) {
	before, err := b.p.Repo.TreeOf(ctx, commit+"^1")
	if err != nil {
		return "", err
	}
	return b.p.Repo.CommitTreeLike(ctx, before, "Take back "+commit+"\n", commit)
}

// reinstated brings back, on top of the target, what a rollback of this agent took away: its head alone would merge as "already there".
func (b *Builder) reinstated(ctx context.Context, c Candidate) (string, error) {
	if c.Agent.RolledBack == "" {
		return "", nil
	}
	back, err := b.inverse(ctx, c.Agent.RolledBack)
	if err != nil {
		return "", err
	}
	merged, err := b.p.Repo.Merge(ctx, c.Tip, back)
	if err != nil {
		return "", err
	}
	if !merged.Clean {
		return "", fmt.Errorf("land %s again after its rollback: the target has changed the same places since; send it back with delegate message %s", c.Agent.ID, c.Agent.ID)
	}
	return b.p.Repo.CommitTreeLike(ctx, merged.Tree, "Bring back "+c.Agent.ID+"\n", c.Tip)
}
