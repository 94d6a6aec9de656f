package scope

type itemKind uint8

const (
	itemChar   itemKind = iota // one character of item.in, then the next item
	itemStar                   // characters of a segment, as many as it likes, then the next item
	itemSlash                  // "/", then the next item
	itemDeep                   // start of a segment that "**" may take; else the item after the next
	itemWithin                 // inside a segment that "**" took; after "/" back to itemDeep
	itemBelow                  // the first character of what a final "**" takes
	itemRest                   // anything, accepted
	itemEnd                    // nothing more, accepted
)

type item struct {
	kind itemKind
	in   []bool // by symbol, of an itemChar
}

// automaton is one glob as a nondeterministic automaton over an alphabet.
// Its states are the indices of its items, the first one is the start.
// It takes clean paths for granted.
type automaton struct {
	items []item
	slash symbol
}

func newAutomaton(g *glob, a *alphabet) *automaton {
	m := &automaton{slash: a.slash()}
	segments := g.segments
	below := g.isBelow()
	if below {
		segments = segments[:len(segments)-2]
	}
	for i, s := range segments {
		if s.deep {
			m.add(itemDeep, itemWithin)
			continue
		}
		for _, x := range s.atoms {
			if x.star {
				m.add(itemStar)
			} else {
				m.items = append(m.items, item{kind: itemChar, in: a.members[x.class.source]})
			}
		}
		if below || i < len(segments)-1 {
			m.add(itemSlash)
		}
	}
	if below {
		m.add(itemBelow, itemRest)
	} else {
		m.add(itemEnd)
	}
	return m
}

func (m *automaton) add(kinds ...itemKind) {
	for _, k := range kinds {
		m.items = append(m.items, item{kind: k})
	}
}

// step appends to states those that can follow state at when it reads s.
func (m *automaton) step(states []uint16, at uint16, s symbol) []uint16 {
	for {
		it := &m.items[at]
		switch it.kind {
		case itemChar:
			if it.in[s] && s != m.slash {
				states = append(states, at+1)
			}
			return states
		case itemStar:
			if s != m.slash {
				states = append(states, at)
			}
			at++
		case itemSlash:
			if s == m.slash {
				states = append(states, at+1)
			}
			return states
		case itemDeep:
			if s != m.slash {
				states = append(states, at+1)
			}
			at += 2
		case itemWithin:
			if s == m.slash {
				at--
			}
			return append(states, at)
		case itemBelow:
			return append(states, at+1)
		case itemRest:
			return append(states, at)
		case itemEnd:
			return states
		}
	}
}

// accepts reports whether a path may end in state at.
func (m *automaton) accepts(at uint16) bool {
	for {
		switch m.items[at].kind {
		case itemStar:
			at++
		case itemDeep:
			at += 2
		case itemRest, itemEnd:
			return true
		default:
			return false
		}
	}
}

// segmentState says where in a segment a path stands, as far as clean paths care.
type segmentState uint8

const (
	atStart segmentState = iota // a segment begins
	atDot                       // it is "." so far
	atDots                      // it is ".." so far
	inName                      // it is a name: the path may end, or go on with "/"
)

// step returns the state after one more character, false if no clean path goes on like that.
func (s segmentState) step(r rune) (segmentState, bool) {
	switch {
	case r == '/':
		return atStart, s == inName
	case r != '.' || s == atDots || s == inName:
		return inName, true
	}
	return s + 1, true
}
