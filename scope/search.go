package scope

import "slices"

// maxGroups is the number of globs that one path can be asked to match at once:
// the allowed globs of two scopes and the roots of both.
const maxGroups = 4

type outcome uint8

const (
	absent outcome = iota // no such path
	found                 // there is one
	gaveUp                // the budget ran out before it was known
)

// question asks for a clean path that matches all of need and none of none.
type question struct {
	need []*glob // at most maxGroups
	none []*glob
}

// spot is what a search knows of the beginning of a path.
type spot struct {
	at    [maxGroups]uint16 // the state of each automaton of need
	guard int32
}

// trail is a spot and how it was reached, for reading the path backwards.
type trail struct {
	spot
	from   int32
	symbol symbol
}

// place is a spot without its forbidden states: spots at one place are compared by those.
type place struct {
	at      [maxGroups]uint16
	segment segmentState
}

// search walks the product of the needed automata and the guard, cheapest beginnings first.
//
// A beginning is dropped if a cheaper one stands at the same place with fewer forbidden states:
// whatever continues the one continues the other. This keeps long lists of forbidden globs from multiplying.
type search struct {
	alphabet *alphabet
	automata []*automaton
	guard    *guard
	trails   []trail
	buckets  [][]int32 // trails by cost
	cheapest map[place][]int32
	scratch  [maxGroups][]uint16
	compared int // guard states, since the last cheapest beginning
}

// solve returns the most readable path. It takes what it spends from budget:
// one for each beginning it looks at, and a bit more where many had to be compared.
func (q question) solve(budget *int) (string, outcome) {
	a := newAlphabet(slices.Concat(q.need, q.none))
	s := &search{alphabet: a, guard: newGuard(q.none, a), cheapest: map[place][]int32{}}
	for _, g := range q.need {
		s.automata = append(s.automata, newAutomaton(g, a))
	}
	s.push(trail{from: -1}, 0)
	for cost := 0; cost < len(s.buckets); cost++ {
		for i := 0; i < len(s.buckets[cost]); i++ {
			id := s.buckets[cost][i]
			if !s.admit(id) {
				continue
			}
			if s.final(id) {
				return s.path(id), found
			}
			if *budget -= 1 + s.compared/128; *budget < 0 {
				return "", gaveUp
			}
			s.compared = 0
			s.extend(id, cost)
		}
		s.buckets[cost] = nil
	}
	return "", absent
}

func (s *search) push(t trail, cost int) {
	for len(s.buckets) <= cost {
		s.buckets = append(s.buckets, nil)
	}
	s.buckets[cost] = append(s.buckets[cost], int32(len(s.trails)))
	s.trails = append(s.trails, t)
}

func (s *search) place(sp spot) place {
	return place{at: sp.at, segment: s.guard.states[sp.guard].segment}
}

// known reports whether a cheaper beginning makes this spot superfluous.
func (s *search) known(sp spot) bool {
	rivals := s.cheapest[s.place(sp)]
	s.compared += len(rivals)
	return slices.ContainsFunc(rivals, func(g int32) bool { return s.guard.covers(g, sp.guard) })
}

// admit enters a spot as the cheapest one of its kind, false if it is known.
func (s *search) admit(id int32) bool {
	sp := s.trails[id].spot
	if s.known(sp) {
		return false
	}
	p := s.place(sp)
	s.cheapest[p] = append(s.cheapest[p], sp.guard)
	return true
}

func (s *search) final(id int32) bool {
	t := s.trails[id]
	for i, m := range s.automata {
		if !m.accepts(t.at[i]) {
			return false
		}
	}
	return s.guard.states[t.guard].final
}

// extend pushes every spot that is one symbol further.
func (s *search) extend(id int32, cost int) {
	t := s.trails[id]
	opening := s.guard.states[t.guard].segment == atStart
	for i, l := range s.alphabet.symbols {
		sym := symbol(i)
		if !s.stepAll(t.at, sym) {
			continue
		}
		to := s.guard.step(t.guard, sym)
		if to == dead {
			continue
		}
		price := cost + l.cost
		if opening {
			price += l.opening
		}
		s.combine(trail{spot: spot{guard: to}, from: id, symbol: sym}, 0, price)
	}
}

// stepAll fills scratch with the states that may follow, false if an automaton has none.
func (s *search) stepAll(at [maxGroups]uint16, sym symbol) bool {
	for i, m := range s.automata {
		if s.scratch[i] = m.step(s.scratch[i][:0], at[i], sym); len(s.scratch[i]) == 0 {
			return false
		}
	}
	return true
}

// combine pushes t with every choice of following states for the automata from i on.
func (s *search) combine(t trail, i, price int) {
	if i == len(s.automata) {
		if !s.known(t.spot) {
			s.push(t, price)
		}
		return
	}
	for _, at := range s.scratch[i] {
		t.at[i] = at
		s.combine(t, i+1, price)
	}
}

func (s *search) path(id int32) string {
	var runes []rune
	for ; s.trails[id].from >= 0; id = s.trails[id].from {
		runes = append(runes, s.alphabet.symbols[s.trails[id].symbol].r)
	}
	slices.Reverse(runes)
	return string(runes)
}
