package git

import (
	"context"
	"fmt"

	"delegate/internal/sys/run"
)

// IsAncestor says whether the history of b contains a.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b && isFullID(a) {
		return true, nil
	}
	return fact(r, func() (bool, error) {
		_, err := r.read(ctx, "merge-base", "--is-ancestor", a, b)
		switch run.ExitCode(err) {
		case 0:
			return true, nil
		case 1:
			return false, nil
		}
		return false, fmt.Errorf("compare history of %.12s and %.12s: %w", a, b, err)
	}, "ancestor", a, b)
}

// MergeBase returns the best common ancestor; ErrNoMergeBase (wrapped) if there is none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	return fact(r, func() (string, error) {
		id, err := r.readID(ctx, "merge-base", a, b)
		if run.ExitCode(err) == 1 {
			return "", fmt.Errorf("merge base of %.12s and %.12s: %w", a, b, ErrNoMergeBase)
		}
		return id, wrap(err, "merge base of %.12s and %.12s", a, b)
	}, "base", a, b)
}
