package scope

import (
	"slices"
	"strings"

	gobwas "github.com/gobwas/glob"
)

// atom is one place of a segment.
type atom struct {
	star  bool   // any run of characters, also none
	class *class // else one character of this class
}

// segment is one element of a glob: "**", or what one segment of a path must be.
type segment struct {
	deep    bool // any number of segments, also none
	atoms   []atom
	literal bool            // exactly one text matches
	source  string          // for gobwas/glob; "**" if deep
	matcher *gobwas.Pattern // nil if deep
}

// glob is one brace-free alternative of a pattern.
//
// Invariants: there is at least one segment; no two neighbours are deep; the last one is not deep,
// a trailing "**" is written as "**/*".
type glob struct {
	segments []segment
	source   string // normal form; equal sources match the same paths
}

func deepSegment() segment { return segment{deep: true, source: "**"} }

func starSegment() segment {
	s, _ := newSegment([]atom{{star: true}})
	return s
}

// newSegment compiles atoms; neighbouring stars must be merged already.
// No separator is given to gobwas/glob, since no segment contains one:
// its stars then never retry an earlier star, which keeps matching polynomial.
func newSegment(atoms []atom) (segment, error) {
	var b strings.Builder
	literal := true
	for _, a := range atoms {
		if a.star {
			b.WriteByte('*')
			literal = false
			continue
		}
		b.WriteString(a.class.source)
		_, single := a.class.single()
		literal = literal && single
	}
	m, err := gobwas.Compile(b.String())
	return segment{atoms: atoms, literal: literal, source: b.String(), matcher: m}, err
}

func newGlob(segments []segment) *glob {
	segments = slices.CompactFunc(slices.Clone(segments), func(a, b segment) bool { return a.deep && b.deep })
	if segments[len(segments)-1].deep {
		segments = append(segments, starSegment())
	}
	sources := make([]string, len(segments))
	for i, s := range segments {
		sources[i] = s.source
	}
	return &glob{segments: segments, source: strings.Join(sources, "/")}
}

// places counts the characters, classes, stars and separators.
func (g *glob) places() int {
	n := len(g.segments) - 1
	for _, s := range g.segments {
		n += max(len(s.atoms), 1)
	}
	return n
}

// unique returns the globs without those that have the normal form of an earlier one.
func unique(globs []*glob) []*glob {
	seen := make(map[string]bool, len(globs))
	var out []*glob
	for _, g := range globs {
		if !seen[g.source] {
			seen[g.source] = true
			out = append(out, g)
		}
	}
	return out
}

// isStar reports whether the segment is "*", which any segment of a path matches.
func (s segment) isStar() bool { return len(s.atoms) == 1 && s.atoms[0].star }

// match reports whether the whole of a clean path matches.
// It is the usual walk with one point of return, the last "**":
// giving an earlier one more segments cannot help where the last one failed.
func (g *glob) match(path string) bool {
	i, at := 0, 0
	deep, deepAt := -1, 0
	for {
		if at > len(path) {
			return i == len(g.segments)
		}
		if i < len(g.segments) && g.segments[i].deep {
			deep, deepAt = i, at
			i++
			continue
		}
		end := segmentEnd(path, at)
		if i < len(g.segments) && g.segments[i].matcher.Match(path[at:end]) {
			i, at = i+1, end+1
			continue
		}
		if deep < 0 {
			return false
		}
		deepAt = segmentEnd(path, deepAt) + 1
		i, at = deep+1, deepAt
	}
}

func segmentEnd(path string, at int) int {
	if n := strings.IndexByte(path[at:], '/'); n >= 0 {
		return at + n
	}
	return len(path)
}

// folded returns the glob that matches in every case.
func (g *glob) folded() *glob {
	segments := slices.Clone(g.segments)
	for i, s := range segments {
		if s.deep {
			continue
		}
		atoms := slices.Clone(s.atoms)
		for j, a := range atoms {
			if !a.star {
				atoms[j].class = a.class.folded()
			}
		}
		if wide, err := newSegment(atoms); err == nil {
			segments[i] = wide
		}
	}
	return newGlob(segments)
}

// meets reports whether a path can match both globs.
// It may say yes wrongly, since it knows nothing about "." and "..", never no.
//
// The last segments are compared first, since globs differ there most often and it saves the walk.
func (g *glob) meets(h *glob) bool {
	return g.segments[len(g.segments)-1].meets(h.segments[len(h.segments)-1]) &&
		intersect(g.segments, h.segments, segment.isDeep, segment.meets)
}

func (s segment) isDeep() bool { return s.deep }

func (s segment) meets(t segment) bool {
	if s.source == t.source || s.literal && t.literal {
		return s.source == t.source
	}
	return intersect(s.atoms, t.atoms, atom.isStar, atom.meets)
}

func (a atom) isStar() bool      { return a.star }
func (a atom) meets(b atom) bool { return a.class.meets(b.class) }

// intersect reports whether one sequence fits x and y, where some elements stand for any run of elements
// and the others for one that both must accept.
func intersect[T any](x, y []T, isRun func(T) bool, meets func(T, T) bool) bool {
	// reached[j] says whether x[:i] and y[:j] can have been used up by the same sequence.
	reached := make([]bool, len(y)+1)
	next := make([]bool, len(y)+1)
	reached[0] = true
	for i := 0; ; i++ {
		alive := false
		for j := range reached {
			if j > 0 && reached[j-1] && (isRun(y[j-1]) || i < len(x) && isRun(x[i])) {
				reached[j] = true
			}
			alive = alive || reached[j]
		}
		if i == len(x) || !alive {
			return alive && reached[len(y)]
		}
		for j := range next {
			down := reached[j] && (isRun(x[i]) || j < len(y) && isRun(y[j]))
			across := j > 0 && reached[j-1] && !isRun(x[i]) && !isRun(y[j-1]) && meets(x[i], y[j-1])
			next[j] = down || across
		}
		reached, next = next, reached
	}
}
