// Package compare reports what lines of work do to each other: git's own merge, and what is found in the changed files
// of both, for every pair.
//
// It works in a quarantine, so that nothing of the repository changes, and keeps what it found by the commits.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/land/review"
)

// Compare reports on every pair of the tips. Nothing of the repository's objects, references or checkouts changes.
// Pairs that were looked at before are answered from memory as long as neither tip moved.
func (r *Comparer) Compare(ctx context.Context, tips []objects.Span, depth analyze.Depth) ([]conflict.Finding, error) {
	var pairs [][2]objects.Span
	for i, x := range tips {
		for _, y := range tips[i+1:] {
			if x.BestOf != "" && x.BestOf == y.BestOf {
				continue // only one of them is going to be merged
			}
			pairs = append(pairs, [2]objects.Span{x, y})
		}
	}
	return r.Pairs(ctx, pairs, depth)
}

// Pairs reports on these pairs of lines of work. Those that nobody remembers are looked at in one pass.
func (r *Comparer) Pairs(
	ctx context.Context, pairs [][2]objects.Span, depth analyze.Depth,
) ([]conflict.Finding, error) {
	r.left = r.p.Config.ConfirmTimeout.Value()
	memory, checkers := r.remembered(depth, string(depth))
	var open []comparison
	for _, p := range pairs {
		known, is := memory.Pairs[pairKey(p)]
		switch {
		case is:
			r.bases[[2]string{p[0].Head, p[1].Head}] = known.Base
		case p[0].Head != p[1].Head:
			open = append(open, comparison{tips: p})
		}
	}
	if len(open) > 0 {
		if err := r.look(ctx, open, depth); err != nil {
			return nil, err
		}
		memory.Fenced = depth == analyze.Checked && (memory.Fenced || len(memory.Pairs) == 0) && r.p.Inspects()
		for _, c := range open {
			memory.add(c)
		}
	}
	r.complete = len(memory.passing) == 0 && (!checkers || memory.Fenced)
	all := []conflict.Finding{}
	for _, p := range pairs {
		all = append(all, memory.Pairs[pairKey(p)].Found...)
	}
	if !r.p.Inside {
		memory.save(pairs)
	}
	return conflict.Sorted(all), nil
}

// comparison is one pair on its way.
type comparison struct {
	tips   [2]objects.Span
	base   string // the merge base; "" if there is none
	sole   bool   // there is no other one
	result analyze.Result
}

// batch bounds how many pairs are merged and held in memory at once.
const batch = 2048

// look compares the pairs in the quarantine.
func (r *Comparer) look(ctx context.Context, open []comparison, depth analyze.Depth) error {
	if err := r.open(); err != nil {
		return err
	}
	if err := r.findBases(ctx, open); err != nil {
		return err
	}
	sets, err := changeSets(ctx, r.pairs, open)
	if err != nil {
		return err
	}
	e := examiner{Comparer: r, sets: sets, depth: depth}
	for part := range slices.Chunk(open, batch) {
		if err := e.examine(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// findBases fills in the merge base of every pair.
func (r *Comparer) findBases(ctx context.Context, open []comparison) error {
	var heads []string
	for _, c := range open {
		heads = append(heads, c.tips[0].Head, c.tips[1].Head)
	}
	bases, err := r.held.MergeBases(ctx, heads)
	if err != nil {
		return err
	}
	for i, c := range open {
		base, sole, err := bases.Of(c.tips[0].Head, c.tips[1].Head)
		if err != nil && !errors.Is(err, git.ErrNoMergeBase) {
			return err
		}
		open[i].base, open[i].sole = base, sole
		if sole {
			r.bases[[2]string{c.tips[0].Head, c.tips[1].Head}] = base
		}
	}
	return nil
}

// span is what one side changes since the base of the pair, or since its own.
func (c comparison) span(i int) objects.Span {
	t := c.tips[i]
	return objects.Span{Name: t.Name, Base: cmp.Or(t.Base, c.base), Head: t.Head}
}

// changeSets reads what each tip changed, once for all pairs that see it alike.
func changeSets(ctx context.Context, reader *objects.Reader, open []comparison) (map[objects.Span]change.Set,
	error) {
	var spans []objects.Span
	sets := map[objects.Span]change.Set{}
	for _, c := range open {
		for i := range c.tips {
			s := c.span(i)
			if _, known := sets[s]; !known && s.Base != "" {
				sets[s] = change.Set{}
				spans = append(spans, s)
			}
		}
	}
	read, err := reader.Changes(ctx, spans)
	if err == nil {
		for i, s := range spans {
			sets[s] = read[i]
		}
		return sets, nil
	}
	// One that cannot be read, as in a partial clone, spoils the whole call: find which.
	for _, s := range spans {
		switch alone, err := reader.Changes(ctx, []objects.Span{s}); {
		case err == nil:
			sets[s] = alone[0]
		case ctx.Err() != nil:
			return nil, err
		default:
			delete(sets, s)
		}
	}
	return sets, nil
}

// examiner holds what all pairs of a comparison share.
type examiner struct {
	*Comparer
	sets  map[objects.Span]change.Set
	depth analyze.Depth
}

// examine merges the pairs in one batch and fills in their findings.
func (e examiner) examine(ctx context.Context, part []comparison) error {
	pairs := make([]conflict.Pair, len(part))
	var asked []git.Pair
	var at []int
	for i, c := range part {
		pairs[i] = conflict.Pair{A: e.set(c, 0), B: e.set(c, 1)}
		switch {
		case c.base == "":
			pairs[i].Merge.Err = git.ErrNoMergeBase
		case !e.read(c):
			pairs[i].Merge.Err = errUnread
		default:
			asked = append(asked, git.Pair{Ours: c.tips[0].Head, Theirs: c.tips[1].Head})
			at = append(at, i)
		}
	}
	outcomes, err := e.held.MergeAll(ctx, asked)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		if pairs[at[n]].Merge.Err = o.Err; o.Err == nil {
			pairs[at[n]].Merge = mergeData(ctx, e.pairs, o.Merged)
		}
	}
	if e.depth == analyze.Checked {
		if err := e.lookAtAll(ctx, part, pairs); err != nil {
			return err
		}
	}
	return e.analysis.Run(ctx, e.pairs, pairs, e.depth, func(i int, r analyze.Result) {
		if t := part[i].tips; t[0].Base != "" && t[1].Base != "" && t[0].Base != t[1].Base {
			r.Found = slices.DeleteFunc(r.Found, ofOneSide)
		}
		failed := pairs[i].Merge.Err
		r.Transient = r.Transient || failed != nil && !errors.Is(failed, git.ErrNoMergeBase)
		part[i].result = r
	})
}

// ofOneSide reports a conflict of git's in which only one side has a part. Where each side began at a commit of its
// own, the other part is what a side began with, and the conflict is with that and not between the two.
func ofOneSide(f conflict.Finding) bool {
	return f.Type == conflict.FileConflict && f.Blocking && f.Certainty == conflict.Confirmed && len(f.Places) > 0 &&
		!slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return p.Agent != f.Places[0].Agent })
}

// errUnread says that what a side changed could not be read.
var errUnread = fmt.Errorf("objects of its changes are missing: %w", git.ErrNoObject)

// read reports whether the changes of both sides are known.
func (e examiner) read(c comparison) bool {
	_, ours := e.sets[c.span(0)]
	_, theirs := e.sets[c.span(1)]
	return ours && theirs
}

// set is what the tip changed; without a base only its name is known.
func (e examiner) set(c comparison, i int) change.Set {
	if set, ok := e.sets[c.span(i)]; ok {
		return set
	}
	return unread(c.tips[i])
}

// unread is a side of a pair whose changes could not be read.
func unread(s objects.Span) change.Set { return change.Set{Name: s.Name, Base: s.Base, Head: s.Head} }

// mergeData hands git's result on as the data that conflict works with.
func mergeData(ctx context.Context, reader *objects.Reader, m git.Merged) conflict.Merge {
	data := conflict.Merge{Clean: m.Clean, FS: reader.Tree(ctx, m.Tree), Tree: m.Tree}
	for _, message := range m.Messages {
		for _, path := range message.Paths {
			data.Conflicts = append(data.Conflicts,
				conflict.PathConflict{Path: path, Kind: message.Type, Message: message.Text})
		}
	}
	return data
}

// Cycles are the cycles of imports that changes between two commits close.
func (r *Comparer) Cycles(ctx context.Context, before, after string, changes []change.File) ([]conflict.Cycle, error) {
	return r.analysis.Cycles(ctx, r.objects, [2]string{before, after}, changes)
}

// Reviewed is what the rules of the review said, if it was of the same.
func (r *Comparer) Reviewed(of string) ([]review.Remark, bool) {
	r.recall()
	return slices.Clone(r.onto.Review), r.onto.ReviewOf == of
}

// KeepReviewed has the next Remember keep what they say.
func (r *Comparer) KeepReviewed(of string, remarks []review.Remark) {
	r.recall()
	r.onto.ReviewOf, r.onto.Review, r.onto.grown = of, slices.Clone(remarks), true
}

// Tree is a commit's or tree's files as a file system.
func (r *Comparer) Tree(ctx context.Context, id string) fs.FS { return r.objects.Tree(ctx, id) }
