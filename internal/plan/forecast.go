package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"delegate/internal/ui"
	"delegate/scope"
)

// scopesOf are the scopes of all subtasks, by number.
func scopesOf(p *Plan, o Options) (map[int]*scope.Scope, error) {
	scopes := map[int]*scope.Scope{}
	for _, s := range p.Subtasks {
		sc, err := s.Scope(o)
		if err != nil {
			return nil, fmt.Errorf("scope of subtask %d %q: %w", s.Number, s.Name, err)
		}
		scopes[s.Number] = sc
	}
	return scopes, nil
}

// SignKind is what makes two subtasks meet although no file need be in both scopes.
type SignKind string

// The signs.
const (
	// SignRenames: one announces to rename what the other uses or speaks of.
	SignRenames SignKind = "renames"
	// SignUses: one owns what the other's code uses by name.
	SignUses SignKind = "uses"
	// SignTogether: history changes a file of the one together with a file of the other.
	SignTogether SignKind = "together"
	// SignImports: one's file imports the other's, and no name says more.
	SignImports SignKind = "imports"
)

// mostSigns is how many signs of a pair are told.
const mostSigns = 3

// Forecast is why two subtasks that nothing orders may conflict, as code and history tell.
type Forecast struct {
	// A and B are subtask numbers, A the smaller.
	A, B  int
	Signs []Sign // the strongest, one of each kind before a second of any
	More  int    // how many further ones there are
}

// Sign is one reason to expect a conflict.
type Sign struct {
	Kind   SignKind
	Text   string   // one clause that names the places
	Places [2]Place // the two ends: of all but SignTogether first who needs the other

	strength float64
}

// Place is a line in a file of a subtask's scope.
type Place struct {
	Subtask int
	Path    string
	Line    int // 0 is the whole file
}

func (p Place) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	return p.Path
}

// Within is the test whether a file is in the scope of any subtask. The error is that of a refused scope.
func Within(p *Plan, o Options) (func(path string) bool, error) {
	scopes, err := scopesOf(p, o)
	if err != nil {
		return nil, err
	}
	all := slices.Collect(maps.Values(scopes))
	return func(path string) bool {
		return slices.ContainsFunc(all, func(sc *scope.Scope) bool { return sc.Check(path).Allowed })
	}, nil
}

// forecasts gathers the signs of every pair.
type forecasts struct {
	owners  map[string][]int // the subtasks in whose scope a file is, ascending
	ordered func(a, b int) bool
	signs   map[[2]int][]Sign
}

func forecast(g graph, p *Plan, scopes map[int]*scope.Scope, f Facts) []Forecast {
	below := g.below()
	c := forecasts{owners: map[string][]int{}, signs: map[[2]int][]Sign{}, ordered: func(a, b int) bool {
		return below[a][b] || below[b][a]
	}}
	for _, n := range slices.Sorted(slices.Values(g.order)) {
		for _, file := range scopes[n].Select(f.Files) {
			c.owners[file] = append(c.owners[file], n)
		}
	}
	c.renames(p.Subtasks, f)
	c.needs(f.Links)
	for _, t := range f.Together {
		c.eachPair(t.A, t.B, func(a, b int) {
			text := fmt.Sprintf("%s (%d) and %s (%d) were changed together by %d of %d commits, last %.8s", t.A, a, t.B,
				b, t.Count, t.Of, t.Commit)
			c.add(Sign{SignTogether, text, [2]Place{{Subtask: a, Path: t.A}, {Subtask: b, Path: t.B}},
				float64(t.Count) * float64(t.Count) / float64(max(1, t.Of))})
		})
	}
	var all []Forecast
	for pair, signs := range c.signs {
		top := strongest(signs)
		all = append(all, Forecast{A: pair[0], B: pair[1], Signs: top, More: len(signs) - len(top)})
	}
	slices.SortFunc(all, func(x, y Forecast) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return all
}

// eachPair visits the unordered subtasks of which one alone has the first file and the other alone the second.
func (c forecasts) eachPair(one, other string, visit func(a, b int)) {
	for _, a := range c.owners[one] {
		for _, b := range c.owners[other] {
			if a != b && !c.ordered(a, b) && !slices.Contains(c.owners[other], a) &&
				!slices.Contains(c.owners[one], b) {
				visit(a, b)
			}
		}
	}
}

func (c forecasts) add(s Sign) {
	a, b := s.Places[0].Subtask, s.Places[1].Subtask
	pair := [2]int{min(a, b), max(a, b)}
	c.signs[pair] = append(c.signs[pair], s)
}

// needs makes one sign of all links between two files, which stand next to each other.
func (c forecasts) needs(links []Link) {
	for len(links) > 0 {
		first := links[0]
		n := 1
		for n < len(links) && links[n].From == first.From && links[n].To == first.To {
			n++
		}
		same := links[:n]
		links = links[n:]
		c.eachPair(first.From, first.To, func(a, b int) {
			places := [2]Place{{Subtask: a, Path: first.From, Line: first.Line},
				{Subtask: b, Path: first.To, Line: first.At}}
			if first.Symbol == "" {
				c.add(Sign{SignImports, fmt.Sprintf("%s (%d) imports %s (%d)", places[0], a, first.To, b), places, 1})
				return
			}
			c.add(Sign{SignUses, fmt.Sprintf("%s (%d) uses %s of %s (%d)", places[0], a, symbols(same), places[1], b),
				places, math.Sqrt(float64(n))})
		})
	}
}

// symbols names up to three.
func symbols(links []Link) string {
	var names []string
	for _, l := range links {
		if l.Symbol != "" && !slices.Contains(names, l.Symbol) {
			names = append(names, l.Symbol)
		}
	}
	return ui.Some(names, 3)
}

// strongest sorts the signs by strength, the strongest of each kind in front, and keeps the first.
func strongest(signs []Sign) []Sign {
	order := []SignKind{SignRenames, SignUses, SignTogether, SignImports}
	slices.SortStableFunc(signs, func(x, y Sign) int {
		return cmp.Or(-cmp.Compare(x.strength, y.strength),
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)))
	})
	seen := map[SignKind]bool{}
	var front, rest []Sign
	for _, s := range signs {
		if !seen[s.Kind] {
			front, seen[s.Kind] = append(front, s), true
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(front, func(x, y Sign) int {
		return cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind))
	})
	all := slices.Concat(front, rest)
	return all[:min(len(all), mostSigns)]
}
