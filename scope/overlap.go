package scope

import "slices"

const (
	// questionBudget bounds one search, in beginnings of paths looked at.
	// Real scopes need some hundred; the bound is for forbidden globs made to be hard.
	questionBudget = 30_000
	// finderBudget bounds all searches that answer one call.
	finderBudget = 100_000
)

// Overlap reports whether a path exists that both scopes allow, and returns such a path as a witness. No file needs to
// exist at that path. The witness is short, and the same scopes always give the same one.
// Paths that either scope forbids, and paths outside of the roots of either, are not allowed by both.
//
// The answer is exact unless the search exceeds its limit of steps, which happens only with many forbidden globs that
// each exclude a different combination of segments. Then ok is true, to be safe, and the witness is a path that the
// allowed globs of both match, although a.Check or b.Check may refuse it, or "" if there was none within the limit.
func Overlap(a, b *Scope) (witness string, ok bool) {
	groups := append(a.groups(), globsOf(b.allowed))
	if len(b.roots) > 0 && !slices.EqualFunc(a.roots, b.roots, Pattern.sameAs) {
		groups = append(groups, globsOf(b.roots))
	}
	f := newFinder(groups, globsOf(a.always, a.forbidden, b.always, b.forbidden))
	witness, out := f.find()
	if out == gaveUp {
		return f.assumed, true
	}
	return witness, out == found
}

// groups returns what a path must match one of each, to be allowed.
func (s *Scope) groups() [][]*glob {
	if len(s.roots) == 0 {
		return [][]*glob{globsOf(s.allowed)}
	}
	return [][]*glob{globsOf(s.allowed), globsOf(s.roots)}
}

func globsOf(lists ...[]Pattern) []*glob {
	var out []*glob
	for _, p := range slices.Concat(lists...) {
		out = append(out, p.globs...)
	}
	return unique(out)
}

// finder looks for a clean path that matches a glob of every group and none of some others.
// It asks the automaton about one choice of globs at a time, after cheaper tests.
type finder struct {
	groups  [][]*glob
	none    []*glob
	budget  int
	meeting map[*glob][]bool // which of none a glob can meet
	barren  map[*glob]bool   // whether a glob is forbidden as a whole, where that was asked
	stuck   bool             // a choice was too hard
	assumed string           // a path that matches the first such choice, forbidden or not
}

func newFinder(groups [][]*glob, none []*glob) *finder {
	return &finder{
		groups: groups, none: none, budget: finderBudget,
		meeting: map[*glob][]bool{}, barren: map[*glob]bool{},
	}
}

func (f *finder) find() (string, outcome) {
	path, ok := f.choose(make([]*glob, 0, len(f.groups)))
	switch {
	case ok:
		return path, found
	case f.stuck:
		return "", gaveUp
	}
	return "", absent
}

// choose extends a choice of globs by one of the next group, in the order they were written.
func (f *finder) choose(chosen []*glob) (string, bool) {
	if len(chosen) == len(f.groups) {
		return f.try(chosen)
	}
	for _, g := range f.groups[len(chosen)] {
		if f.barren[g] || slices.ContainsFunc(chosen, func(c *glob) bool { return !c.meets(g) }) {
			continue
		}
		if path, ok := f.choose(append(chosen, g)); ok {
			return path, true
		}
		isBarren := func(c *glob) bool { return f.barren[c] }
		if f.budget <= 0 || slices.ContainsFunc(chosen, isBarren) {
			break
		}
	}
	return "", false
}

func (f *finder) try(chosen []*glob) (string, bool) {
	path, out := f.ask(chosen)
	switch {
	case out == gaveUp && !f.stuck:
		f.stuck = true
		budget := questionBudget
		f.assumed, _ = question{need: chosen}.solve(&budget)
	case out == absent && len(chosen) > 1:
		f.judge(chosen)
	}
	return path, out == found
}

// judge finds out which globs of a fruitless choice are forbidden as a whole, so that no choice has them again.
func (f *finder) judge(chosen []*glob) {
	for i, g := range chosen {
		if _, asked := f.barren[g]; !asked {
			_, out := f.ask(chosen[i : i+1])
			f.barren[g] = out == absent
		}
	}
}

func (f *finder) ask(chosen []*glob) (string, outcome) {
	var relevant []*glob
	for i, n := range f.none {
		if !slices.ContainsFunc(chosen, func(c *glob) bool { return !f.meets(c)[i] }) {
			relevant = append(relevant, n)
		}
	}
	budget := min(f.budget, questionBudget)
	f.budget -= budget
	path, out := question{need: chosen, none: relevant}.solve(&budget)
	f.budget += max(budget, 0)
	return path, out
}

func (f *finder) meets(g *glob) []bool {
	if m, ok := f.meeting[g]; ok {
		return m
	}
	m := make([]bool, len(f.none))
	for i, n := range f.none {
		m[i] = n.meets(g)
	}
	f.meeting[g] = m
	return m
}
