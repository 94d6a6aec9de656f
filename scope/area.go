package scope

import (
	"slices"
	"strings"
)

// Reach says what of a folder a pattern can match.
type Reach int

// The reaches.
const (
	// Entry is the path itself and nothing else.
	Entry Reach = iota
	// Names are some entries of the folder itself.
	Names
	// Deep are some paths at any depth below the folder.
	Deep
	// Below is every path below the folder.
	Below
)

// Area is a place that a pattern is about, for those who can open and close folders but not match names.
type Area struct {
	Path  string // with slashes; "" is the root
	Reach Reach
}

// Covers reports whether the area holds every path that the other one can hold.
func (a Area) Covers(b Area) bool {
	return a == b || a.Reach == Below && Within(b.Path, a.Path) && (b.Reach != Entry || b.Path != a.Path)
}

// Within reports whether the path is the folder or lies in it. The root "" holds every path.
func Within(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// AllowedAreas are the places that the allowed patterns are about, without those that others cover,
// in the order of the patterns. A scope that is bounded by roots answers what both reach; where
// they only meet, the area is Deep and Check decides.
func (s *Scope) AllowedAreas() []Area {
	areas := areasOf(s.allowed)
	if len(s.roots) == 0 {
		return outermost(areas)
	}
	var bounded []Area
	for _, a := range areas {
		for _, r := range areasOf(s.roots) {
			switch {
			case r.Covers(a):
				bounded = append(bounded, a)
			case a.Covers(r):
				bounded = append(bounded, r)
			case Within(a.Path, r.Path):
				bounded = append(bounded, Area{a.Path, Deep})
			case Within(r.Path, a.Path):
				bounded = append(bounded, Area{r.Path, Deep})
			}
		}
	}
	return outermost(bounded)
}

// ForbiddenAreas are the places that the forbidden patterns and those that are always forbidden are about.
func (s *Scope) ForbiddenAreas() []Area {
	var faults []*PatternError
	// those of the scope match in every case and have no fixed names
	always := parseList("manager", AlwaysForbidden(), &faults)
	return outermost(append(areasOf(s.forbidden), areasOf(always)...))
}

// ForbidsBelow reports whether a pattern forbids everything below the folder, whatever it will be.
func (s *Scope) ForbidsBelow(folder string) bool {
	inside := strings.TrimPrefix(folder+"/x", "/") // a pattern that ends with "/**" takes any name there, or none
	return slices.ContainsFunc(globsOf(s.always, s.forbidden), func(g *glob) bool {
		return g.isBelow() && g.match(inside)
	})
}

// isBelow reports whether the glob ends with "**".
func (g *glob) isBelow() bool {
	last := len(g.segments) - 1
	return last > 0 && g.segments[last-1].deep && g.segments[last].isStar()
}

func areasOf(patterns []Pattern) []Area {
	var areas []Area
	for _, g := range globsOf(patterns) {
		areas = append(areas, g.area())
	}
	return areas
}

// area cuts the glob at its first segment that is not one fixed text.
func (g *glob) area() Area {
	var fixed []string
	for i, s := range g.segments {
		text, ok := s.text()
		if ok {
			fixed = append(fixed, text)
			continue
		}
		at := strings.Join(fixed, "/")
		switch rest := g.segments[i:]; {
		case len(rest) == 2 && g.isBelow():
			return Area{at, Below}
		case len(rest) == 1:
			return Area{at, Names}
		}
		return Area{at, Deep}
	}
	return Area{strings.Join(fixed, "/"), Entry}
}

// text is the one text that the segment matches.
func (s segment) text() (string, bool) {
	if s.deep || !s.literal {
		return "", false
	}
	var b strings.Builder
	for _, a := range s.atoms {
		r, single := a.class.single()
		if !single {
			return "", false
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// outermost drops areas that another one covers.
func outermost(areas []Area) []Area {
	var kept []Area
	for i, a := range areas {
		if !slices.Contains(areas[:i], a) &&
			!slices.ContainsFunc(areas, func(b Area) bool { return a != b && b.Covers(a) }) {
			kept = append(kept, a)
		}
	}
	return kept
}
