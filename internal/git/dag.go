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
	tips   []string
	number []int      // for each tip its place among the distinct ones
	best   [][]string // by two such places, "" if they share no history
}

// Of is a best common ancestor of the commits i and j, counted as they were given to MergeBases: one that no other is a descendant of.
// Where several are equally good, as after merges crosswise, it may be another one than MergeBase names.
// ErrNoMergeBase (wrapped) if there is none.
func (b Bases) Of(i, j int) (string, error) {
	id := b.best[b.number[i]][b.number[j]]
	if id == "" {
		return "", fmt.Errorf("merge base of %.12s and %.12s: %w", b.tips[i], b.tips[j], ErrNoMergeBase)
	}
	return id, nil
}

// MergeBases finds the common ancestors of all pairs of tips. ErrNoCommit (wrapped) for a tip that names no commit.
// It reads the history down to an ancestor common to all, and all of it if there is none.
// That takes four processes for any number of tips, and two more each time that commits dated later than their descendants mislead git.
func (r *Repo) MergeBases(ctx context.Context, tips []string) (Bases, error) {
	ids, err := r.ResolveAll(ctx, tips)
	if err != nil || len(ids) == 0 {
		return Bases{}, err
	}
	w, err := r.walkAbove(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return Bases{}, fmt.Errorf("merge bases of %d commits: %w", len(tips), err)
	}
	b := Bases{tips: ids, number: make([]int, len(ids)), best: w.best}
	for i, id := range ids {
		b.number[i] = w.places[id]
	}
	return b, nil
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
		w := newWalk(tips, bound)
		if err := r.list(ctx, tips, below, w.visit); err != nil {
			return nil, err
		}
		found := w.found()
		if bound == "" || len(found) == 0 {
			return w, nil
		}
		known := len(below)
		err := r.list(ctx, []string{bound}, parentsOf(found), func(id string, _ []string) {
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
	id, err := r.line(ctx, append([]string{"merge-base", "--octopus"}, ids...)...)
	if run.ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("common ancestor of %d commits: %w", len(ids), err)
	}
	return id, nil
}

// list visits the commits that those in from reach and those in below do not, each before its parents.
func (r *Repo) list(ctx context.Context, from, below []string, visit func(id string, parents []string)) error {
	input := strings.Join(from, "\n") + "\n"
	for _, id := range below {
		input += "^" + id + "\n"
	}
	c := call{args: []string{"rev-list", "--topo-order", "--parents", "--stdin"}, stdin: strings.NewReader(input)}
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
			if len(words) == 0 {
				return fmt.Errorf("git rev-list record %q", line)
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
// The first commit that two tips reach is a best one: its descendants came before it, and the two do not share any of them.
type walk struct {
	places map[string]int
	bound  string
	reach  map[string]set // for a commit still to come the tips that reach it, as far as its children told
	open   []set          // for each tip those whose common ancestor is still to come
	best   [][]string
}

// newWalk starts with bound as the base of all pairs, which is right for those that share nothing above it.
func newWalk(tips []string, bound string) *walk {
	w := &walk{places: make(map[string]int, len(tips)), bound: bound, reach: map[string]set{}}
	row := slices.Repeat([]string{bound}, len(tips))
	for i, tip := range tips {
		w.places[tip] = i
		w.best = append(w.best, slices.Clone(row))
		all := newSet(len(tips))
		for j := range tips {
			all.add(j)
		}
		w.open = append(w.open, all)
	}
	return w
}

func (w *walk) visit(id string, parents []string) {
	tips := w.reach[id]
	delete(w.reach, id)
	if tips == nil {
		tips = newSet(len(w.places))
	}
	if place, found := w.places[id]; found {
		tips.add(place)
	}
	for i := range tips.all() {
		w.settle(i, tips, id)
	}
	for _, parent := range parents {
		if known := w.reach[parent]; known != nil {
			known.join(tips)
		} else {
			w.reach[parent] = slices.Clone(tips)
		}
	}
}

// settle notes id for tip i and each of tips that it has no base with yet.
func (w *walk) settle(i int, tips set, id string) {
	for k, word := range tips {
		found := w.open[i][k] & word
		w.open[i][k] &^= word
		for ; found != 0; found &= found - 1 {
			w.best[i][64*k+bits.TrailingZeros64(found)] = id
		}
	}
}

// found are the bases that are neither tips nor the bound.
func (w *walk) found() map[string]bool {
	all := map[string]bool{}
	for _, row := range w.best {
		for _, id := range row {
			if _, tip := w.places[id]; !tip && id != w.bound {
				all[id] = true
			}
		}
	}
	return all
}

// set is a set of small numbers, one bit each.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

func (s set) add(n int) { s[n/64] |= 1 << (n % 64) }

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
