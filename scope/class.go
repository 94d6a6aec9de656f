package scope

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxListed bounds the runes that a class written as a list for gobwas/glob may have;
	// it holds the CJK ideographs together with other ranges.
	maxListed = 1 << 15
	// maxFolded bounds the runes of a class that case folding looks at one by one.
	maxFolded = 1 << 10
)

// span is a range of runes, both ends included.
type span struct{ lo, hi rune }

// class is the set of characters that one place of a segment accepts.
// It may contain "/" on paper; neither engine ever offers it one.
type class struct {
	negated bool
	spans   []span // sorted, disjoint, not adjacent
	source  string // the gobwas/glob spelling; equal sets written alike have equal sources
}

// newClass makes the class of the runes in spans, or of all others.
// It answers false if gobwas/glob has no spelling of bearable size.
func newClass(negated bool, spans []span) (*class, bool) {
	c := &class{negated: negated, spans: merge(spans)}
	source, ok := c.spell()
	c.source = source
	return c, ok
}

func literal(r rune) *class {
	c, _ := newClass(false, []span{{r, r}})
	return c
}

func anyChar() *class { return &class{negated: true, source: "?"} }

func merge(spans []span) []span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (c *class) has(r rune) bool {
	for _, s := range c.spans {
		if s.lo <= r && r <= s.hi {
			return !c.negated
		}
	}
	return c.negated
}

// single returns the only rune of the class.
func (c *class) single() (rune, bool) {
	if c.negated || len(c.spans) != 1 || c.spans[0].lo != c.spans[0].hi {
		return 0, false
	}
	return c.spans[0].lo, true
}

func (c *class) size() int {
	n := 0
	for _, s := range c.spans {
		n += int(s.hi-s.lo) + 1
	}
	return n
}

// meets reports whether a character can be in both classes.
// It may say yes wrongly (for two complements that cover everything), never no.
func (c *class) meets(d *class) bool {
	switch {
	case c.negated && d.negated:
		return true
	case c.negated:
		return d.meets(c)
	case d.negated:
		return slices.ContainsFunc(c.spans, func(s span) bool {
			return !slices.ContainsFunc(d.spans, func(t span) bool { return t.lo <= s.lo && s.hi <= t.hi })
		})
	}
	return slices.ContainsFunc(c.spans, func(s span) bool {
		return slices.ContainsFunc(d.spans, func(t span) bool { return s.lo <= t.hi && t.lo <= s.hi })
	})
}

// folded returns the class widened by the other cases of its letters.
// Complements and very large classes stay as they are.
func (c *class) folded() *class {
	if c.negated || c.size() > maxFolded {
		return c
	}
	spans := slices.Clone(c.spans)
	for _, s := range c.spans {
		for r := s.lo; r <= s.hi; r++ {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				spans = append(spans, span{f, f})
			}
		}
	}
	if wide, ok := newClass(false, spans); ok {
		return wide
	}
	return c
}

// spell writes the class for gobwas/glob as one matcher of one character.
// A class there is either a single range, with both ends verbatim, or a list without ranges;
// "!" may not begin a range and "-" may not come second in a list.
func (c *class) spell() (string, bool) {
	if r, ok := c.single(); ok {
		return escape(r), true
	}
	not := ""
	if c.negated {
		not = "!"
	}
	if len(c.spans) == 1 && (c.negated || c.spans[0].lo != '!') {
		return "[" + not + string(c.spans[0].lo) + "-" + string(c.spans[0].hi) + "]", true
	}
	if c.size() > maxListed {
		return "", false
	}
	var b strings.Builder
	b.WriteString("[" + not)
	dash := ""
	for _, s := range c.spans {
		for r := s.lo; r <= s.hi; r++ {
			switch {
			case r == '-':
				dash = `\-`
			case utf8.ValidRune(r):
				b.WriteString(escape(r))
			}
		}
	}
	return b.String() + dash + "]", true
}

// escape spells one rune for gobwas/glob, which takes any character after a backslash for itself.
func escape(r rune) string {
	if escapable(r) {
		return `\` + string(r)
	}
	return string(r)
}

// escapable reports whether a backslash before r is an escape.
// Before a letter, a digit, "/", "." or "_" it more likely is a separator of another platform.
func escapable(r rune) bool {
	if r < ' ' || r >= 0x7f {
		return false
	}
	isWord := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	return !isWord && !strings.ContainsRune("/._", r)
}
