package scope

import (
	"fmt"
	"slices"
)

// WarningKind says what a warning is about.
type WarningKind int

// The kinds of warnings.
const (
	// TooBroad: the scope is one whole top-level folder and nothing else.
	TooBroad WarningKind = iota + 1
	// UselessForbidden: a forbidden pattern meets nothing that is allowed.
	UselessForbidden
	// WhollyForbidden: an allowed pattern matches no path that is not forbidden or outside the roots.
	WhollyForbidden
)

// Warning is something in a scope that its author may not have meant. It is no fault.
type Warning struct {
	Kind WarningKind
	// Pattern is the pattern it is about, as written.
	Pattern string
	// Message is one sentence for the author, without the pattern and a full stop.
	Message string
}

// String returns the pattern and the message.
func (w Warning) String() string { return fmt.Sprintf("%q %s", w.Pattern, w.Message) }

// Warnings returns what is odd about the scope, in the order of the kinds, then of the patterns.
// A question that is too hard to decide gives no warning.
func (s *Scope) Warnings() []Warning {
	var out []Warning
	if s.isWholeFolder() {
		out = append(out, Warning{
			Kind: TooBroad, Pattern: list(s.allowed),
			Message: "is a whole top-level folder; name the parts of it that the task needs",
		})
	}
	allowed := globsOf(s.allowed)
	for _, p := range s.forbidden {
		if _, answer := newFinder([][]*glob{p.globs, allowed}, nil).find(); answer == absent {
			out = append(out, Warning{
				Kind: UselessForbidden, Pattern: p.written,
				Message: "forbids nothing, since no allowed pattern can match there",
			})
		}
	}
	for _, p := range s.allowed {
		if message := s.wasted(p); message != "" {
			out = append(out, Warning{Kind: WhollyForbidden, Pattern: p.written, Message: message})
		}
	}
	return out
}

// isWholeFolder reports whether everything allowed lies in one top-level folder, or in the folders of one glob,
// and everything below there is allowed.
func (s *Scope) isWholeFolder() bool {
	allowed := globsOf(s.allowed)
	top := allowed[0].segments[0]
	if slices.ContainsFunc(allowed, func(g *glob) bool { return g.segments[0].source != top.source }) || top.deep {
		return false
	}
	whole := newGlob([]segment{top, deepSegment()})
	_, out := newFinder([][]*glob{{whole}}, allowed).find()
	return out == absent
}

// wasted says why nothing that an allowed pattern matches may be written, "" if something may.
func (s *Scope) wasted(p Pattern) string {
	own := [][]*glob{p.globs}
	if _, out := newFinder(own, globsOf(s.always, s.forbidden)).find(); out == absent {
		return "allows nothing, since everything it matches is forbidden"
	}
	if len(s.roots) == 0 {
		return ""
	}
	own = append(own, globsOf(s.roots))
	if _, out := newFinder(own, globsOf(s.always, s.forbidden)).find(); out == absent {
		return "allows nothing, since everything it matches is forbidden or outside the allowed roots"
	}
	return ""
}
