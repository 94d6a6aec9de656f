package candidate

import (
	"context"
	"errors"

	"delegate/internal/git"
	"delegate/internal/text/ui"
)

// rebase lands the agents' own commits on top of the target, and as one commit what cannot be replayed so.
type rebase struct{ squash }

// Replay answers none where a commit cannot be replayed, or where all of them do not make the tree that merging makes.
func (rebase) Replay(ctx context.Context, repo *git.Repo, m Member) ([]Replayed, error) {
	if m.HasParents() || len(m.Resolved) > 0 {
		return nil, nil
	}
	commits, err := repo.OwnCommits(ctx, m.Base, m.Head)
	if err != nil {
		return nil, err
	}
	at := m.Base
	var all []Replayed
	for _, commit := range commits {
		merged, err := repo.Pick(ctx, commit, at)
		if errors.Is(err, git.ErrNotPicked) || err == nil && !merged.Clean {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if at, err = repo.CommitTreeLike(ctx, merged.Tree, "Replayed\n", at); err != nil {
			return nil, err
		}
		all = append(all, Replayed{commit, merged.Tree})
	}
	if len(all) == 0 || all[len(all)-1].Tree != m.Tree {
		return nil, nil
	}
	return all, nil
}

func (rebase) Notes(members []Member) []string {
	var all []string
	for _, m := range members {
		how := ui.Plural(len(m.Replayed), "commit") + " of " + m.Agent.ID +
			" on top of the target (landing.mode: rebase)"
		if len(m.Replayed) == 0 {
			how = "one commit for " + m.Agent.ID +
				": its own cannot be replayed one by one onto the target (landing.mode: rebase)"
		}
		all = append(all, how)
	}
	return all
}
