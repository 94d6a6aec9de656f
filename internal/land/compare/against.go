package compare

import (
	"context"
	"slices"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
)

// Step is a line of work that is merged onto another one, which begins at the same commit.
type Step struct {
	Work, Onto objects.Span
	Merged     git.Merged
	Failed     error // why git could not merge them, nil if it could
	// Landing is the tree that lands, which has the merge and what later steps merge onto it; "" for that of Merged.
	Landing string
}

// Against holds each step's work against what it is merged onto. What a merge without conflicts gave is known after
// that, unless another look may say more.
func (r *Comparer) Against(ctx context.Context, steps []Step) ([][]conflict.Finding, error) {
	r.recall()
	all := make([][]conflict.Finding, len(steps))
	var open []int
	var spans []objects.Span
	for i, s := range steps {
		if known, ok := r.onto.ofStep(s); ok {
			all[i] = cloned(known.Found)
			continue
		}
		if open = append(open, i); s.Failed == nil {
			spans = append(spans, s.Work, s.Onto)
		}
	}
	sets, err := r.objects.Changes(ctx, spans)
	if err != nil {
		return nil, err
	}
	pairs := make([]conflict.Pair, len(open))
	for n, i := range open {
		s, p := steps[i], &pairs[n]
		*p = conflict.Pair{A: unread(s.Work), B: unread(s.Onto), Merge: conflict.Merge{Err: s.Failed}}
		if s.Failed == nil {
			*p = conflict.Pair{A: sets[0], B: sets[1], Merge: mergeData(ctx, r.objects, s.Merged)}
			sets = sets[2:]
		}
		if s.goesOn() {
			p.Landing = conflict.Tree{ID: s.Landing, FS: r.objects.Tree(ctx, s.Landing)}
		}
	}
	r.left = r.p.Config.ConfirmTimeout.Value()
	return all, r.analysis.Run(ctx, r.objects, pairs, analyze.Checked, func(n int, found analyze.Result) {
		all[open[n]] = found.Found
		r.keepStep(steps[open[n]], found)
		r.left = r.p.Config.ConfirmTimeout.Value() // of the next
	})
}

// recall reads what candidates came to before.
func (r *Comparer) recall() {
	if r.onto == nil {
		r.onto, _ = r.remembered(analyze.Checked, "candidates")
	}
}

// keepStep remembers what was found in a step, unless another look may say more.
func (r *Comparer) keepStep(s Step, found analyze.Result) {
	if s.Failed == nil && s.Merged.Clean && !found.Transient {
		r.onto.Fenced = (r.onto.Fenced || len(r.onto.Pairs) == 0) && r.p.Inspects()
		r.onto.keepStep(s, seen{Found: cloned(found.Found), Lasting: found.Lasting})
	}
}

// goesOn reports whether something else lands than the merge of the step.
func (s Step) goesOn() bool { return s.Landing != "" && s.Landing != s.Merged.Tree }

// key is that of the step by itself, and within that of what is found where it is merged with others.
func (s Step) key() (alone, within string) {
	alone = pairKey([2]objects.Span{s.Work, s.Onto}) + s.Merged.Tree
	return alone, alone + " in " + s.Landing
}

// ofStep is what was found in the step where the same landed. What lasts does not depend on that: with it, a candidate
// that grows by a member is told of those that it had.
func (m *cache) ofStep(s Step) (seen, bool) {
	if s.Failed != nil {
		return seen{}, false
	}
	alone, within := s.key()
	if known, ok := m.Pairs[alone]; ok && (known.Lasting || !s.goesOn()) {
		return known, true
	}
	if !s.goesOn() {
		return seen{}, false
	}
	known, ok := m.Pairs[within]
	return known, ok
}

func (m *cache) keepStep(s Step, found seen) {
	alone, within := s.key()
	if m.grown = true; s.goesOn() && !found.Lasting {
		m.Pairs[within] = found
		return
	}
	m.Pairs[alone] = found
}

// Remember keeps what Against and Cycles found for later processes.
func (r *Comparer) Remember() {
	if r.onto != nil && !r.p.Inside {
		r.onto.save(nil)
		r.onto.grown = false
	}
}

// cloned are findings that others may change, not nil where there are none.
func cloned(found []conflict.Finding) []conflict.Finding {
	all := append([]conflict.Finding{}, found...)
	for i, f := range all {
		all[i].Places, all[i].Agents = slices.Clone(f.Places), slices.Clone(f.Agents)
	}
	return all
}
