package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"delegate/internal/run"
)

// Bases are the best common ancestors of every two of some commits.
type Bases struct {
	number map[string]int // of each commit
	best   [][]string     // by two such numbers, "" if they share no history
	more   []set          // for each commit those with which it has other best ones beside
}

// Of is a best common ancestor of two of the commits that were given to MergeBases: one that no
// other is a descendant of. It is the sole one unless several are equally good, as after merges
// crosswise; it may then be another one than MergeBase names. ErrNoMergeBase (wrapped) if there is
// none.
func (b Bases) Of(x, y string) (id string, sole bool, err error) {
	i, given := b.number[x]
	j, too := b.number[y]
	if !given || !too || b.best[i][j] == "" {
		return "", false, fmt.Errorf("merge base of %.12s and %.12s: %w", x, y, ErrNoMergeBase)
	}
	return b.best[i][j], !b.more[i].has(j), nil
}

// MergeBases finds the common ancestors of all pairs of commits, which are given by their full ids.
// It reads the history down to an ancestor common to all, and all of it if there is none.
// That takes two processes for any number of commits, and two more each time that commits dated
// later than their descendants mislead git.
func (r *Repo) MergeBases(ctx context.Context, ids []string) (Bases, error) {
	if len(ids) == 0 {
		return Bases{}, nil
	}
	w, err := r.walkAbove(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return Bases{}, fmt.Errorf("merge bases of %d commits: %w", len(ids), err)
	}
	return Bases{number: w.places, best: w.best, more: w.more}, nil
}

// walkAbove walks the history of the tips above a common ancestor.
// git stops looking for what that one reaches where dates tell that it is done; if they are wrong, it lists some of it.
// Such commits must not become bases: they are found among those that did, and left out the next time.
func (r *Repo) walkAbove(ctx context.Context, tips []string) (*walk, error) {
	bound, err := r.commonAncestor(ctx, tips)
	if err != nil {
		return nil, err
	}
	var below []string
	if bound != "" {
		below = append(below, bound)
	}
	for {
		w, err := again(func() (*walk, error) {
			w := newWalk(tips)
			return w, r.list(ctx, tips, below, w.visit)
		})
		if err != nil {
			return nil, err
		}
		found := w.found()
		if bound != "" {
			w.end(bound)
		}
		if bound == "" || len(found) == 0 {
			return w, nil
		}
		known := len(below)
		err = r.list(ctx, []string{bound}, parentsOf(found), func(id string, _ []string) {
			if found[id] {
				below = append(below, id)
			}
		})
		if err != nil || len(below) == known {
			return w, err
		}
	}
}

// commonAncestor is one of all the commits, "" if there is none.
func (r *Repo) commonAncestor(ctx context.Context, ids []string) (string, error) {
	id, err := r.readID(ctx, append([]string{"merge-base", "--octopus"}, ids...)...)
	if run.ExitCode(err) == 1 {
		return "", nil
	}
	return id, wrap(err, "common ancestor of %d commits", len(ids))
}

// list visits the commits that those in from reach and those in below do not, each before its parents.
func (r *Repo) list(ctx context.Context, from, below []string, visit func(id string, parents []string)) error {
	c := call{args: []string{"rev-list", "--topo-order", "--parents", "--stdin"}, stdin: revisions(from, below)}
	return r.stream(ctx, c, func(a answer) error {
		for {
			line, err := a.ReadString('\n')
			if line == "" && errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			words := strings.Fields(line)
			if len(words) == 0 || slices.ContainsFunc(words, func(id string) bool { return !isFullID(id) }) {
				return odd(c.args, line)
			}
			visit(words[0], words[1:])
		}
	})
}

// parentsOf names the parents of each commit.
func parentsOf(ids map[string]bool) []string {
	var all []string
	for id := range ids {
		all = append(all, id+"^@")
	}
	return all
}

// walk learns the bases from commits of which each comes before its parents.
// A commit that two tips reach is a best base of theirs if none of its children is reached by both.
type walk struct {
	places map[string]int
	reach  map[string][]set // for a commit still to come the tips that reach each of its children, as far as those came
	open   []set            // for each tip those with which it has no base yet
	more   []set            // for each tip those with which it has several
	best   [][]string
}

func newWalk(tips []string) *walk {
	w := &walk{places: make(map[string]int, len(tips)), reach: map[string][]set{}}
	for i, tip := range tips {
		w.places[tip] = i
		w.best = append(w.best, make([]string, len(tips)))
		w.open = append(w.open, fullSet(len(tips)))
		w.more = append(w.more, newSet(len(tips)))
	}
	return w
}

func (w *walk) visit(id string, parents []string) {
	tips := newSet(len(w.places))
	for _, child := range w.reach[id] {
		tips.join(child)
	}
	if place, found := w.places[id]; found {
		tips.add(place)
	}
	w.meet(id, tips)
	for _, parent := range parents {
		if !slices.ContainsFunc(w.reach[parent], func(known set) bool { return slices.Equal(known, tips) }) {
			w.reach[parent] = append(w.reach[parent], tips)
		}
	}
}

// end closes the walk with the bound, which all tips reach.
func (w *walk) end(bound string) { w.meet(bound, fullSet(len(w.places))) }

// meet notes the commit for all pairs of the tips that reach it and no child of it together.
func (w *walk) meet(id string, tips set) {
	children := w.reach[id]
	delete(w.reach, id)
	if slices.ContainsFunc(children, func(child set) bool { return slices.Equal(child, tips) }) {
		return
	}
	for i := range tips.all() {
		fresh := slices.Clone(tips)
		for _, child := range children {
			if child.has(i) {
				fresh.drop(child)
			}
		}
		for j := range fresh.all() {
			if !w.open[i].has(j) {
				w.more[i].add(j)
				continue
			}
			w.best[i][j] = id
		}
		w.open[i].drop(fresh)
	}
}

// found are the bases that are no tips.
func (w *walk) found() map[string]bool {
	all := map[string]bool{}
	for _, row := range w.best {
		for _, id := range row {
			if _, tip := w.places[id]; !tip && id != "" {
				all[id] = true
			}
		}
	}
	return all
}

// set is a set of small numbers, one bit each.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

func fullSet(size int) set {
	s := newSet(size)
	for n := range size {
		s.add(n)
	}
	return s
}

func (s set) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

func (s set) drop(other set) {
	for i, word := range other {
		s[i] &^= word
	}
}

func (s set) join(other set) {
	for i, word := range other {
		s[i] |= word
	}
}

// all are the numbers in the set.
func (s set) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
