package candidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/registry"
)

// Sequence is the order in which ready work lands, with the reason for each place in it.
type Sequence struct {
	Agents []registry.Agent
	Why    []string // one sentence for each agent
	// Findings are the conflicts between agents that have work, as they were when the order was made.
	Findings []conflict.Finding
	// Unread are findings about agents that are left out, since their work could not be read.
	Unread []conflict.Finding
}

// Ready lists the agents with changes whose work could land now, in the order that lands the most
// of them without a conflict
// and, among such orders, makes the fewest agents stale that have not finished. Dependencies come first.
func (b *Builder) Ready(ctx context.Context, state registry.State) (Sequence, error) {
	var ready []registry.Agent
	for _, a := range state.Agents {
		if a.Status == registry.Complete && !a.HasNoChanges() && !a.IsPublished() {
			ready = append(ready, a)
		}
	}
	if len(ready) < 2 {
		return Sequence{Agents: ready, Why: make([]string, len(ready))}, nil
	}
	findings, unread, err := b.between(ctx, state)
	if err != nil {
		return Sequence{}, err
	}
	s := sequence(slices.DeleteFunc(ready, func(a registry.Agent) bool {
		return slices.ContainsFunc(unread, func(f conflict.Finding) bool { return f.Agents[0] == a.ID })
	}), findings)
	s.Unread = unread
	return s, nil
}

// between are the conflicts between agents; the target is compared when each candidate is built.
func (b *Builder) between(ctx context.Context, state registry.State) (found, unread []conflict.Finding, err error) {
	tips, unread, err := b.compare.NextTips(ctx, state)
	if err != nil {
		return nil, nil, err
	}
	b.seen = map[string]seenWork{}
	for _, t := range tips {
		if a, err := state.Agent(t.Name); err == nil && !t.Moving {
			b.seen[a.ID] = seenWork{t, a.Head}
		}
	}
	tips = slices.DeleteFunc(tips, func(t objects.Span) bool {
		_, err := state.Agent(t.Name)
		return err != nil
	})
	found, err = b.compare.Compare(ctx, tips, analyze.Checked)
	return found, unread, err
}

// In is the sequence that a person asked for. Agents that are not ready are refused when their candidate is built.
func (b *Builder) In(ctx context.Context, state registry.State, ids []string) (Sequence, error) {
	var s Sequence
	for _, id := range ids {
		a, err := state.Find(id)
		if err != nil {
			return s, err
		}
		if slices.ContainsFunc(s.Agents, func(x registry.Agent) bool { return x.ID == a.ID }) {
			return s, fmt.Errorf("land %s: it is named twice", a.ID)
		}
		s.Agents, s.Why = append(s.Agents, a), append(s.Why, "as you asked")
	}
	if len(ids) < 2 {
		return s, nil
	}
	var err error
	s.Findings, _, err = b.between(ctx, state) // an agent whose work cannot be read says so by its candidate
	return s, err
}

// IDs are the agents in their order.
func (s Sequence) IDs() []string {
	ids := make([]string, 0, len(s.Agents))
	for _, a := range s.Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// sequence is the pure choice. Only findings that block count: everything else can land in any order.
func sequence(ready []registry.Agent, findings []conflict.Finding) Sequence {
	g := newClashes(ready, findings)
	first := g.mostApart()
	s := Sequence{Findings: findings}
	add := func(indices []int, why func(int) string) {
		for _, i := range indices {
			s.Agents, s.Why = append(s.Agents, ready[i]), append(s.Why, why(i))
		}
	}
	in, out := g.split(first)
	slices.SortStableFunc(in, func(x, y int) int { return cmp.Compare(len(g.stale[x]), len(g.stale[y])) })
	slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(len(g.against(x, in)), len(g.against(y, in))) })
	add(g.dependenciesFirst(in), func(i int) string { return g.whyFirst(i, out) })
	add(g.dependenciesFirst(out), func(i int) string { return g.whyLater(i, in) })
	return s
}

// clashes are the ready agents and which of them cannot land together as they are.
type clashes struct {
	agents []registry.Agent
	edges  []map[int]bool
	needs  []map[int]bool // agents that must land before
	stale  []map[string]bool
	doubts []map[string]bool // others with which there is a finding that does not block
	steps  int
}

func newClashes(ready []registry.Agent, findings []conflict.Finding) *clashes {
	g := &clashes{agents: ready}
	at := map[string]int{}
	for i, a := range ready {
		at[a.ID] = i
		g.edges, g.needs = append(g.edges, map[int]bool{}), append(g.needs, map[int]bool{})
		g.stale, g.doubts = append(g.stale, map[string]bool{}), append(g.doubts, map[string]bool{})
	}
	for i, a := range ready {
		for _, d := range a.Dependencies {
			if j, known := at[d]; known && j != i {
				g.needs[i][j] = true
			}
		}
	}
	for _, f := range findings {
		if len(f.Agents) != 2 {
			continue
		}
		i, x := at[f.Agents[0]]
		j, y := at[f.Agents[1]]
		switch {
		case !f.Blocking && x && y && f.Severity != conflict.Info:
			g.doubts[i][f.Agents[1]], g.doubts[j][f.Agents[0]] = true, true
		case !f.Blocking:
		case x && y:
			g.edges[i][j], g.edges[j][i] = true, true
		case x:
			g.stale[i][f.Agents[1]] = true
		case y:
			g.stale[j][f.Agents[0]] = true
		}
	}
	return g
}

// mostSteps bounds the search for the largest set; beyond it the best one seen is taken.
const mostSteps = 200_000

// mostApart is a largest set of agents of which no two clash, together with all that they need;
// among sets of one size the one that makes the fewest others stale.
func (g *clashes) mostApart() map[int]bool {
	open := map[int]bool{}
	for i := range g.agents {
		open[i] = true
	}
	var best map[int]bool
	g.search(map[int]bool{}, open, &best)
	return best
}

func (g *clashes) search(taken, open map[int]bool, best *map[int]bool) {
	g.steps++
	if *best != nil && (len(taken)+len(open) < len(*best) || g.steps > mostSteps) {
		return
	}
	for i := range taken {
		for d := range g.needs[i] {
			if !taken[d] && !open[d] {
				return // it was left out further up
			}
		}
	}
	at := g.mostClashing(open)
	if at < 0 { // nobody who is left clashes with anybody who is left
		whole := maps.Clone(taken)
		maps.Copy(whole, open)
		if *best == nil || len(whole) > len(*best) ||
			len(whole) == len(*best) && g.makesStale(whole) < g.makesStale(*best) {
			*best = whole
		}
		return
	}
	without := g.drop(open, at)
	with := maps.Clone(open)
	for n := range g.edges[at] {
		with = g.drop(with, n)
	}
	if with[at] { // else it needs one of those that it clashes with
		next := maps.Clone(taken)
		next[at] = true
		delete(with, at)
		g.search(next, with, best)
	}
	g.search(taken, without, best)
}

// mostClashing is the open agent with the most clashes among the open ones, the first of them; -1 if there is no clash.
func (g *clashes) mostClashing(open map[int]bool) int {
	at, most := -1, 0
	for i := range g.agents {
		if !open[i] {
			continue
		}
		if n := len(g.against(i, slices.Collect(maps.Keys(open)))); n > most {
			at, most = i, n
		}
	}
	return at
}

// drop is open without an agent and without all that need it.
func (g *clashes) drop(open map[int]bool, at int) map[int]bool {
	rest := maps.Clone(open)
	delete(rest, at)
	for grown := true; grown; {
		grown = false
		for i := range g.agents {
			for d := range g.needs[i] {
				if rest[i] && !rest[d] && (open[d] || d == at) {
					delete(rest, i)
					grown = true
				}
			}
		}
	}
	return rest
}

func (g *clashes) makesStale(set map[int]bool) int {
	all := map[string]bool{}
	for i := range set {
		maps.Copy(all, g.stale[i])
	}
	return len(all)
}

func (g *clashes) split(set map[int]bool) (in, out []int) {
	for i := range g.agents {
		if set[i] {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return in, out
}

// against are those among others that an agent clashes with.
func (g *clashes) against(i int, others []int) []string {
	var ids []string
	for _, j := range others {
		if g.edges[i][j] {
			ids = append(ids, g.agents[j].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// dependenciesFirst keeps the order but for agents that stand before what they need.
func (g *clashes) dependenciesFirst(all []int) []int {
	rest := slices.Clone(all)
	var sorted []int
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(i int) bool {
			return !slices.ContainsFunc(rest, func(j int) bool { return g.needs[i][j] })
		})
		next = max(next, 0) // a cycle cannot be in a checked plan; the first is as good as any
		sorted = append(sorted, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return sorted
}

func (g *clashes) whyFirst(i int, later []int) string {
	after, why := g.against(i, later), "conflicts with no other agent"
	doubts := slices.Sorted(maps.Keys(g.doubts[i]))
	doubts = slices.DeleteFunc(doubts, func(id string) bool { return slices.Contains(after, id) })
	switch {
	case len(after) == 1:
		why = "conflicts with " + after[0] + ", which then has to adapt"
	case len(after) > 1:
		why = "conflicts with " + strings.Join(after, ", ") + ", which then have to adapt"
	}
	if len(doubts) > 0 {
		may := "may conflict with " + strings.Join(doubts, ", ") + ", which does not block it"
		if why += "; " + may; len(after) == 0 {
			why = may
		}
	}
	if stale := slices.Sorted(maps.Keys(g.stale[i])); len(stale) > 0 {
		why += "; conflicts with " + strings.Join(stale, ", ") + " as well, not finished yet"
	}
	return why
}

func (g *clashes) whyLater(i int, before []int) string {
	if with := g.against(i, before); len(with) > 0 {
		why := "conflicts with " + strings.Join(with, ", ")
		if len(g.agents)-len(before) > 1 {
			return why + ": later, so that only those at the end have to adapt"
		}
		return why + ": last, so that only this one has to adapt"
	}
	for j := range g.needs[i] {
		return "needs " + g.agents[j].ID
	}
	return "conflicts with others that come later"
}
