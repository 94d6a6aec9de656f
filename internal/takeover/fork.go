package takeover

import (
	"context"

	"delegate/internal/git"
)

// ForkPoint is where an agent's own work begins: its base, or a later commit of the target that the
// agent has merged or rebased onto since.
func ForkPoint(ctx context.Context, repo *git.Repo, base, target, head string) (string, error) {
	shared, err := repo.MergeBase(ctx, target, head)
	if err != nil {
		return "", err
	}
	if shared == base {
		return base, nil
	}
	older, err := repo.IsAncestor(ctx, shared, base)
	if err != nil {
		return "", err
	}
	if older {
		return base, nil
	}
	return shared, nil
}
