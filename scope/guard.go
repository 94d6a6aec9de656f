package scope

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// guard knows which beginnings of a path can still become a clean path that matches none of some globs.
// It is the deterministic automaton of their union, made state by state as a search asks for it.
type guard struct {
	alphabet  *alphabet
	owners    []owner // of the members of a set
	words     int     // of a set
	states    []guardState
	byContent map[string]int32
	scratch   []uint16
}

// owner says which state of which automaton a member of a set is.
type owner struct {
	automaton *automaton
	at        uint16
}

// guardState is one state: where in a segment the path stands, and in which states the automata can be.
type guardState struct {
	segment segmentState
	set     []uint64
	final   bool    // the path may end here
	next    []int32 // by symbol: a state, dead or unknown
}

const (
	unknown int32 = -1
	dead    int32 = -2
)

func newGuard(none []*glob, a *alphabet) *guard {
	g := &guard{alphabet: a, byContent: map[string]int32{}}
	for _, x := range none {
		m := newAutomaton(x, a)
		for at := range m.items {
			g.owners = append(g.owners, owner{automaton: m, at: uint16(at)})
		}
	}
	g.words = (len(g.owners) + 63) / 64
	start := make([]uint64, g.words)
	for i, o := range g.owners {
		if o.at == 0 {
			start[i/64] |= 1 << (i % 64)
		}
	}
	g.intern(atStart, start)
	return g
}

// intern returns the number of a state, a new one if it was never seen.
func (g *guard) intern(st segmentState, set []uint64) int32 {
	key := make([]byte, 1, 1+8*len(set))
	key[0] = byte(st)
	for _, w := range set {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	if id, ok := g.byContent[string(key)]; ok {
		return id
	}
	id := int32(len(g.states))
	g.byContent[string(key)] = id
	s := guardState{segment: st, set: set, final: st == inName, next: make([]int32, len(g.alphabet.symbols))}
	for i := range s.next {
		s.next[i] = unknown
	}
	for i := range members(set) {
		o := g.owners[i]
		s.final = s.final && !o.automaton.accepts(o.at)
	}
	g.states = append(g.states, s)
	return id
}

// members yields what a set contains, in ascending order.
func members(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range set {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// step returns the state after one more symbol, or dead if every continuation is forbidden or unclean.
func (g *guard) step(id int32, s symbol) int32 {
	if to := g.states[id].next[s]; to != unknown {
		return to
	}
	to := g.compute(id, s)
	g.states[id].next[s] = to
	return to
}

func (g *guard) compute(id int32, s symbol) int32 {
	from := &g.states[id]
	st, ok := from.segment.step(g.alphabet.symbols[s].r)
	if !ok {
		return dead
	}
	set := make([]uint64, g.words)
	for i := range members(from.set) {
		o := g.owners[i]
		g.scratch = o.automaton.step(g.scratch[:0], o.at, s)
		for _, to := range g.scratch {
			if o.automaton.items[to].kind == itemRest {
				return dead
			}
			n := i + int(to) - int(o.at)
			set[n/64] |= 1 << (n % 64)
		}
	}
	return g.intern(st, set)
}

// covers reports whether state x allows every continuation that y allows; both must stand alike.
func (g *guard) covers(x, y int32) bool {
	wider := g.states[y].set
	for i, w := range g.states[x].set {
		if w&^wider[i] != 0 {
			return false
		}
	}
	return true
}
