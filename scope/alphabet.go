package scope

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// symbol stands for all characters that none of the classes of one search tells apart.
type symbol int

// alphabet is the partition of all characters into symbols, for one search.
// "/" and "." are symbols of their own, since clean paths depend on them; NUL and surrogates are none.
type alphabet struct {
	symbols []letter          // most readable first, "/" last
	members map[string][]bool // by source of the class, then by symbol
}

// letter is the face that a symbol shows in a witness.
type letter struct {
	r       rune // the most readable character of the symbol
	cost    int  // how little one wants to read it
	opening int  // further cost at the start of a segment
}

const (
	readable  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+=@,~ "
	scanAhead = 128 // runes of an unusual range that are looked at for a printable one
)

func newAlphabet(globs []*glob) *alphabet {
	classes := map[string]*class{}
	for _, g := range globs {
		for _, s := range g.segments {
			for _, a := range s.atoms {
				if !a.star {
					classes[a.class.source] = a.class
				}
			}
		}
	}
	sources := slices.Sorted(maps.Keys(classes))
	bounds := cuts(classes)
	parts := map[string][]span{} // by the classes they belong to
	for i, lo := range bounds[:len(bounds)-1] {
		if lo != 0xd800 {
			key := signature(lo, sources, classes)
			parts[key] = append(parts[key], span{lo, bounds[i+1] - 1})
		}
	}
	a := &alphabet{members: make(map[string][]bool, len(classes))}
	for _, part := range parts {
		a.symbols = append(a.symbols, bestOf(part))
	}
	slices.SortFunc(a.symbols, compareLetters)
	for source, c := range classes {
		in := make([]bool, len(a.symbols))
		for i, l := range a.symbols {
			in[i] = c.has(l.r)
		}
		a.members[source] = in
	}
	return a
}

// cuts returns the runes at which a class begins or ends, and with them those that begin a fixed part.
func cuts(classes map[string]*class) []rune {
	at := []rune{1, '.', '.' + 1, '/' + 1, 0xd800, 0xe000, unicode.MaxRune + 1}
	for _, c := range classes {
		for _, s := range c.spans {
			at = append(at, max(s.lo, 1), s.hi+1)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	// What a class says about a surrogate does not matter: none is ever offered to it.
	return slices.DeleteFunc(at, func(r rune) bool { return r > 0xd800 && r < 0xe000 })
}

func signature(r rune, sources []string, classes map[string]*class) string {
	var b strings.Builder
	if r == '/' || r == '.' {
		b.WriteRune(r)
	}
	for _, source := range sources {
		if classes[source].has(r) {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

// bestOf returns the most readable character of a part, which is sorted.
func bestOf(part []span) letter {
	for _, r := range readable {
		i := sort.Search(len(part), func(i int) bool { return part[i].hi >= r })
		if i < len(part) && part[i].lo <= r {
			return newLetter(r)
		}
	}
	best := newLetter(part[0].lo)
	for _, s := range part {
		for r := s.lo; r <= min(s.hi, s.lo+scanAhead); r++ {
			if l := newLetter(r); l.cost < best.cost {
				best = l
			}
		}
	}
	return best
}

func newLetter(r rune) letter {
	l := letter{r: r, cost: 1, opening: 2}
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '/':
		l.opening = 0
	case r >= '0' && r <= '9':
		l.opening = 1
	case r == '.':
		l.opening = 4
	case r == '_' || r == '-':
		l.cost = 2
	case r > ' ' && r < 0x7f:
		l.cost = 4
	case unicode.IsLetter(r):
		l.cost = 6
	case unicode.IsPrint(r):
		l.cost = 10
	default:
		l.cost = 50
	}
	return l
}

// compareLetters orders by cost, then as they stand in readable, then by code point; "/" is last.
func compareLetters(x, y letter) int {
	rank := func(l letter) int {
		if l.r == '/' {
			return 1 << 30
		}
		if i := strings.IndexRune(readable, l.r); i >= 0 {
			return i
		}
		return 1<<21 + int(l.r)
	}
	if (x.r == '/') == (y.r == '/') && x.cost != y.cost {
		return x.cost - y.cost
	}
	return rank(x) - rank(y)
}

// slash returns the symbol of "/".
func (a *alphabet) slash() symbol { return symbol(len(a.symbols) - 1) }
