package scope

import (
	"slices"
	"strings"
)

// Reach says which of the paths at and below Area.Path a glob can match.
type Reach int

// The values of Area.Reach.
const (
	// Entry means the path itself and nothing below it.
	Entry Reach = iota
	// Names means some of the direct entries of the folder.
	Names
	// Deep means some of the paths below the folder, at any depth.
	Deep
	// Below means every path below the folder, but not the folder itself.
	Below
)

// Area approximates a glob by a folder, or a single path, and a Reach. It is for a file system sandbox, which can
// make a folder writable but cannot match names: every path that the glob matches is in its area.
type Area struct {
	Path  string // relative to the root of the repository, separated by slashes; "" is the root
	Reach Reach  // what of that path the glob can match
}

// Covers reports whether every path that b can contain is also in a.
func (a Area) Covers(b Area) bool {
	return a == b || a.Reach == Below && Within(b.Path, a.Path) && (b.Reach != Entry || b.Path != a.Path)
}

// Within reports whether path is folder or below it. Both are clean, as CleanPath returns them; the folder "" is the
// root, which contains every path.
func Within(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// AllowedAreas returns the areas of the allowed patterns, in their order, without those that another one covers.
// If the scope has roots, the areas are cut to them. Where the globs of an area and a root match only some paths of
// each other, the result is Deep at the longer of the two folders, and only Check is exact.
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

// ForbiddenAreas returns the areas of the forbidden patterns and of AlwaysForbidden, without those that another one
// covers. Config.Manager is not included.
func (s *Scope) ForbiddenAreas() []Area {
	var faults []*PatternError
	// those of the scope match in every case and have no fixed names
	always := parseList("manager", AlwaysForbidden(), &faults)
	return outermost(append(areasOf(s.forbidden), areasOf(always)...))
}

// ForbidsBelow reports whether one pattern forbids every path below the folder, also those that do not exist yet.
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
