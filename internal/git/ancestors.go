package git

import (
	"cmp"
	"context"
	"errors"
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
	parents, ok := r.parentsOf(ctx, a)
	if !known || !ok || len(parents) != 1 {
		return ""
	}
	// all that the histories share is in that of the parent
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

const (
	// mostNear is how many commits are read before git is asked, which takes as long as about a hundred of them.
	mostNear = 20
	// mostWalked is how many are looked at whose parents are known, which takes next to nothing: what members of a
	// candidate make is asked for one after the other, and has all of them in its near history.
	mostWalked = 2000
)

// isNear says whether one of the newest commits of b's history is a, or, where that ends soon at a's only parent or
// at its beginning, that none is. Where neither is known git knows better.
func (r *Repo) isNear(ctx context.Context, a, b string) (inside, known bool) {
	if !isFullID(a) || !isFullID(b) || r.isShallow() {
		return false, false
	}
	parents, ok := r.parentsOf(ctx, a)
	if !ok {
		return false, false
	}
	only := "" // no commit that is an ancestor of a's parent has a in its history
	if len(parents) == 1 {
		only = parents[0]
	}
	seen, queue := map[string]bool{b: true}, []string{b}
	for i := 0; i < len(queue); i++ {
		if queue[i] == a {
			return true, true
		}
		if queue[i] == only {
			continue
		}
		parents, ok := r.knownParents(queue[i])
		if !ok && i < mostNear {
			parents, ok = r.parentsOf(ctx, queue[i])
		}
		if !ok || i >= mostWalked {
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

// errNotPlain says that git knows better what the parents of a commit are.
var errNotPlain = errors.New("it is no commit that can be read without git")

// parentsOf are the parents of a commit, as it says itself; false says only that git knows better.
func (r *Repo) parentsOf(ctx context.Context, id string) ([]string, bool) {
	parents, err := cached(r, parentsQuestion, []string{id}, func() ([]string, error) {
		found, ok := r.lookInto(ctx, id)
		if !ok || found.kind != "commit" || found.id != id {
			return nil, errNotPlain
		}
		_, parents, err := parseCommit(found.data)
		return parents, err
	})
	return parents, err == nil
}

const parentsQuestion = "parents"

// knownParents are those that parentsOf has found before.
func (r *Repo) knownParents(id string) ([]string, bool) {
	if r.common == nil || r.Quarantined() {
		return nil, false
	}
	parents, known := r.common.facts.find(parentsQuestion + " " + id).([]string)
	return parents, known
}

// plainHistory are commits that some others reach, themselves included: the nearest of those in files of their own.
func (r *Repo) plainHistory(tips []string) map[string]bool {
	seen, queue := map[string]bool{}, slices.Clone(tips)
	for i := 0; i < len(queue) && len(seen) < mostLoose; i++ {
		if !isFullID(queue[i]) || seen[queue[i]] {
			continue
		}
		found, ok := r.looseObject(queue[i])
		_, parents, err := parseCommit(found.data)
		if !ok || found.kind != "commit" || err != nil {
			continue
		}
		seen[queue[i]], queue = true, append(queue, parents...)
	}
	return seen
}
