package git

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"delegate/internal/run"
)

// IsAncestor says whether the history of b contains a.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	return cached(r, "ancestor", []string{a, b}, func() (bool, error) {
		if inside, known := r.isNear(ctx, a, b); known {
			return inside, nil
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
		if base := cmp.Or(r.nearBase(ctx, a, b), r.nearBase(ctx, b, a)); base != "" {
			return base, nil
		}
		return r.readID(ctx, "merge-base", a, b)
	})
	if run.ExitCode(err) == 1 {
		return "", fmt.Errorf("merge base of %.12s and %.12s: %w", a, b, ErrNoMergeBase)
	}
	return id, wrap(err, "merge base of %.12s and %.12s", a, b)
}

// nearBase is the merge base where it is one of the two, or the only parent of the first; "" says only that git knows
// better.
func (r *Repo) nearBase(ctx context.Context, a, b string) string {
	inside, known := r.isNear(ctx, a, b)
	if inside {
		return a
	}
	found, ok := r.lookInto(ctx, a)
	if !known || !ok || found.kind != "commit" || found.id != a {
		return ""
	}
	// all that the histories share is in that of the parent
	_, parents, err := parseCommit(found.data)
	if err != nil || len(parents) != 1 {
		return ""
	}
	if inside, _ := r.isNear(ctx, parents[0], b); inside {
		return parents[0]
	}
	return ""
}

// mostPaired is how many commits are compared with one another before git is asked.
const mostPaired = 10

// nearBases are the bases of commits of which each two have a near one, which is then their only one.
func (r *Repo) nearBases(ctx context.Context, ids []string) (b Bases, ok bool) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) < 2 || len(ids) > mostPaired {
		return b, false
	}
	b.number = make(map[string]int, len(ids))
	for i, id := range ids {
		b.number[id] = i
		b.best, b.more = append(b.best, make([]string, len(ids))), append(b.more, new(big.Int))
	}
	for i, x := range ids {
		b.best[i][i] = x
		for j, y := range ids[:i] {
			base := cmp.Or(r.nearBase(ctx, x, y), r.nearBase(ctx, y, x))
			if base == "" {
				return b, false
			}
			b.best[i][j], b.best[j][i] = base, base
		}
	}
	return b, true
}

// mostNear is how many commits are read before git is asked, which takes as long as about a hundred of them.
const mostNear = 20

// isNear says whether one of the newest commits of b's history is a, or, where that ends soon at a's only parent or
// at its beginning, that none is. Where neither is known git knows better.
func (r *Repo) isNear(ctx context.Context, a, b string) (inside, known bool) {
	if !isFullID(a) || !isFullID(b) || r.isShallow() {
		return false, false
	}
	of, ok := r.lookInto(ctx, a)
	if !ok || of.kind != "commit" || of.id != a {
		return false, false
	}
	only := "" // no commit that is an ancestor of a's parent has a in its history
	if _, parents, err := parseCommit(of.data); err == nil && len(parents) == 1 {
		only = parents[0]
	}
	seen, queue := map[string]bool{b: true}, []string{b}
	for i := 0; i < len(queue); i++ {
		if queue[i] == only {
			continue
		}
		if i >= mostNear {
			return false, false
		}
		found, ok := r.lookInto(ctx, queue[i])
		if !ok || found.kind != "commit" || found.id != queue[i] {
			return false, false
		}
		if found.id == a {
			return true, true
		}
		_, parents, err := parseCommit(found.data)
		if err != nil {
			return false, false
		}
		for _, p := range parents {
			if !seen[p] {
				seen[p], queue = true, append(queue, p)
			}
		}
	}
	return false, true
}
