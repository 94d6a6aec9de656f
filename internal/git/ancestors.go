package git

import (
	"context"
	"fmt"

	"delegate/internal/run"
)

// IsAncestor says whether the history of b contains a.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	return cached(r, "ancestor", []string{a, b}, func() (bool, error) {
		if r.isNear(ctx, a, b) {
			return true, nil
		}
		_, err := r.read(ctx, "merge-base", "--is-ancestor", a, b)
		switch run.ExitCode(err) {
		case 0:
			return true, nil
		case 1:
			return false, nil
		}
		return false, fmt.Errorf("compare history of %.12s and %.12s: %w", a, b, err)
	})
}

// MergeBase is the best common ancestor; ErrNoMergeBase (wrapped) if there is none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	id, err := cached(r, "base", []string{a, b}, func() (string, error) {
		if r.isNear(ctx, a, b) {
			return a, nil
		}
		if r.isNear(ctx, b, a) {
			return b, nil
		}
		return r.readID(ctx, "merge-base", a, b)
	})
	if run.ExitCode(err) == 1 {
		return "", fmt.Errorf("merge base of %.12s and %.12s: %w", a, b, ErrNoMergeBase)
	}
	return id, wrap(err, "merge base of %.12s and %.12s", a, b)
}

// mostNear is how many commits are read before git is asked, which takes as long as about a hundred of them.
const mostNear = 20

// isNear says whether one of the newest commits of b's history is a. False says only that git knows better.
func (r *Repo) isNear(ctx context.Context, a, b string) bool {
	if !isFullID(a) || !isFullID(b) || r.isShallow() {
		return false
	}
	seen, queue := map[string]bool{b: true}, []string{b}
	for i := 0; i < len(queue) && i < mostNear; i++ {
		found, ok := r.lookInto(ctx, queue[i])
		if !ok || found.kind != "commit" || found.id != queue[i] {
			return false
		}
		if found.id == a {
			return true
		}
		_, parents, err := parseCommit(found.data)
		if err != nil {
			return false
		}
		for _, p := range parents {
			if !seen[p] {
				seen[p], queue = true, append(queue, p)
			}
		}
	}
	return false
}
