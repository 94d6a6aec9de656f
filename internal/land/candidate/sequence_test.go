package candidate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/registry"
)

func clash(a, b string) conflict.Finding {
	return conflict.Finding{Type: "FILE_CONFLICT", Severity: conflict.Error, Blocking: true, Agents: []string{a, b}}
}

func TestSequence(t *testing.T) {
	agents := func(ids ...string) []registry.Agent {
		var all []registry.Agent
		for _, id := range ids {
			name, needs, _ := strings.Cut(id, "<")
			all = append(all, registry.Agent{ID: name, Dependencies: strings.FieldsFunc(needs, func(r rune) bool {
				return r == '+'
			})})
		}
		return all
	}
	for name, test := range map[string]struct {
		agents   []registry.Agent
		findings []conflict.Finding
		want     string
		why      string // part of the reason of the last one
	}{
		"nobody clashes":     {agents("1", "2", "3"), nil, "1 2 3", "conflicts with no other agent"},
		"dependencies first": {agents("1<3", "2", "3<9"), nil, "2 3 1", "conflicts with no other agent"},
		"one against two": {agents("1", "2", "3"), []conflict.Finding{clash("1", "2"), clash("1", "3")}, "2 3 1",
			"conflicts with 2, 3: last"},
		"warnings do not count": {agents("1", "2"), []conflict.Finding{{Agents: []string{"1", "2"},
			Severity: conflict.Warning}}, "1 2", "may conflict with 1, which does not block it"},
		"needs what clashes": {agents("1", "2<1", "3<1", "4"), []conflict.Finding{clash("1", "4")}, "1 2 3 4",
			"conflicts with 1: last"},
		"stale ones later": {agents("1", "2"), []conflict.Finding{clash("1", "9")}, "2 1", "conflicts with 9 as well"},
		"fewer stale": {agents("1", "2"), []conflict.Finding{clash("1", "2"), clash("1", "8"), clash("1", "9")},
			"2 1", "conflicts with 2: last"},
		"two at the end": {agents("1", "2", "3"), []conflict.Finding{clash("1", "2"), clash("1", "3"), clash("2", "3")},
			"1 2 3", "conflicts with 1: later, so that only those at the end have to adapt"},
		"a cycle": {agents("1<2", "2<1"), nil, "1 2", "no other agent"},
	} {
		got := sequence(test.agents, test.findings)
		if ids := strings.Join(got.IDs(), " "); ids != test.want {
			t.Errorf("%s: %s, want %s", name, ids, test.want)
		}
		if last := got.Why[len(got.Why)-1]; !strings.Contains(last, test.why) {
			t.Errorf("%s: the last because it %s", name, last)
		}
		for _, why := range got.Why[:len(got.Why)-1] {
			if strings.Contains(why, ": last") {
				t.Errorf("%s: one before the last because it %s", name, why)
			}
		}
	}
}

// TestSequenceLandsTheMost holds the choice against all subsets of small random cases.
func TestSequenceLandsTheMost(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 64))
	for round := range 300 {
		n := 1 + rng.IntN(8)
		agents := make([]registry.Agent, n)
		var findings []conflict.Finding
		for i := range agents {
			agents[i].ID = fmt.Sprint(i)
			for j := range i {
				if rng.IntN(3) == 0 {
					findings = append(findings, clash(fmt.Sprint(i), fmt.Sprint(j)))
				} else if rng.IntN(5) == 0 {
					agents[i].Dependencies = append(agents[i].Dependencies, fmt.Sprint(j))
				}
			}
		}
		g := newClashes(agents, findings)
		most := 0
		for bits := range 1 << n {
			if set := setOf(bits, n); g.lands(set) {
				most = max(most, len(set))
			}
		}
		if got := g.mostApart(); !g.lands(got) || len(got) != most {
			t.Fatalf("round %d: %v lands %t, the most are %d", round, got, g.lands(got), most)
		}
		s := sequence(agents, findings)
		for i, a := range s.Agents {
			for _, d := range a.Dependencies {
				if !slices.Contains(s.IDs()[:i], d) && len(g.against(i, nil)) == 0 &&
					slices.Contains(s.IDs()[:most], a.ID) {
					t.Fatalf("round %d: %s stands before %s in %v", round, a.ID, d, s.IDs())
				}
			}
		}
	}
}

func setOf(bits, n int) map[int]bool {
	set := map[int]bool{}
	for i := range n {
		if bits>>i&1 == 1 {
			set[i] = true
		}
	}
	return set
}

// lands reports whether the set can land one after the other without a clash.
func (g *clashes) lands(set map[int]bool) bool {
	for i := range set {
		for j := range set {
			if g.edges[i][j] {
				return false
			}
		}
		for d := range g.needs[i] {
			if !set[d] {
				return false
			}
		}
	}
	return true
}
