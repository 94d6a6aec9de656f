package plan

import (
	"fmt"
	"slices"
	"strings"

	"delegate/scope"
)

// Facts are what the repository and the configuration say at the time of planning.
type Facts struct {
	// Files are the tracked files of the base.
	Files []string
	// ScopeLimit is how many existing files one scope may match; 0 is no limit.
	ScopeLimit int
	// MaxParallel is how many agents may run at the same time; 0 is no limit.
	MaxParallel int
}

// Analysis is what follows from a plan. All of it is advice; what to refuse is for the caller.
type Analysis struct {
	// Groups are the subtask numbers by level: those of the first depend on nothing,
	// those of each further one on subtasks of the groups before it. Within a group all can run together.
	Groups [][]int
	// Sizes is how many existing files each subtask's scope matches.
	Sizes map[int]int
	// OverLimit are the subtasks whose size is above the limit, ascending. Each has a warning, too.
	OverLimit []int
	// Overlaps are the pairs whose scopes can meet, in the order of A, then B.
	Overlaps []Overlap
	// Warnings are in the order of the plan.
	Warnings []Warning
	// Agents is how many agents run at the same time at most.
	Agents int
}

// Overlap is a pair of subtasks that may both write one path.
type Overlap struct {
	// A and B are subtask numbers, A the smaller.
	A, B int
	// Witness is such a path, existing or not.
	// It is empty in the rare case that the scopes are too intricate to tell, which counts as an overlap.
	Witness string
	// Ordered says that one of them comes after the other, if only through further subtasks.
	// A pair that is not ordered is prone to conflicts.
	Ordered bool
}

// Warning is something about a subtask that its author may not have meant.
type Warning struct {
	Subtask int
	Text    string
}

// Analyze works out what follows from the plan.
// A plan that Parse accepted with the same options gives no error;
// in others, subtasks that cannot be ordered are a *Faults, and a refused scope is an error that wraps scope's.
func Analyze(p *Plan, o Options, f Facts) (Analysis, error) {
	if err := checkNumbers(p); err != nil {
		return Analysis{}, err
	}
	g := graphOf(p.Subtasks)
	scopes := map[int]*scope.Scope{}
	for _, s := range p.Subtasks {
		sc, err := s.Scope(o)
		if err != nil {
			return Analysis{}, fmt.Errorf("scope of subtask %d %q: %w", s.Number, s.Name, err)
		}
		scopes[s.Number] = sc
	}
	out := Analysis{
		Groups:   g.levels(),
		Sizes:    map[int]int{},
		Overlaps: overlaps(g, scopes),
	}
	for _, s := range p.Subtasks {
		sc := scopes[s.Number]
		size := len(sc.Select(f.Files))
		out.Sizes[s.Number] = size
		if f.ScopeLimit > 0 && size > f.ScopeLimit {
			out.OverLimit = append(out.OverLimit, s.Number)
			out.Warnings = append(out.Warnings, Warning{s.Number, fmt.Sprintf("the scope matches %d files, the limit is %d", size, f.ScopeLimit)})
		}
		for _, text := range slices.Concat(scopeWarnings(sc, o), outputWarnings(s, sc)) {
			out.Warnings = append(out.Warnings, Warning{s.Number, text})
		}
	}
	slices.Sort(out.OverLimit)
	for _, group := range out.Groups {
		out.Agents = max(out.Agents, len(group))
	}
	if f.MaxParallel > 0 {
		out.Agents = min(out.Agents, f.MaxParallel)
	}
	return out, nil
}

// checkNumbers refuses what a plan that was parsed cannot have.
func checkNumbers(p *Plan) error {
	lines := map[int]int{}
	var faults []Fault
	for _, s := range p.Subtasks {
		if _, twice := lines[s.Number]; twice || s.Number <= 0 {
			faults = append(faults, Fault{s.Line, fmt.Sprintf("subtask number %d is not positive or used twice", s.Number)})
		}
		lines[s.Number] = s.Line
	}
	return asError(append(faults, graphOf(p.Subtasks).faults(lines)...))
}

func overlaps(g graph, scopes map[int]*scope.Scope) []Overlap {
	var out []Overlap
	below := g.below()
	numbers := slices.Sorted(slices.Values(g.order))
	for i, a := range numbers {
		for _, b := range numbers[i+1:] {
			if witness, ok := scope.Overlap(scopes[a], scopes[b]); ok {
				out = append(out, Overlap{A: a, B: b, Witness: witness, Ordered: below[a][b] || below[b][a]})
			}
		}
	}
	return out
}

// scopeWarnings leaves out that a configured forbidden pattern meets nothing here:
// it was not written for this subtask.
func scopeWarnings(sc *scope.Scope, o Options) []string {
	var out []string
	for _, w := range sc.Warnings() {
		if w.Kind == scope.UselessForbidden && slices.Contains(o.Forbidden, w.Pattern) {
			continue
		}
		out = append(out, w.String())
	}
	return out
}

// outputWarnings finds expected outputs that the agent is not allowed to make.
func outputWarnings(s Subtask, sc *scope.Scope) []string {
	var out []string
	for _, want := range s.ExpectedOutputs {
		if !strings.ContainsAny(want, `*?[{\`) && !strings.HasSuffix(want, "/") {
			if v := sc.Check(want); !v.Allowed {
				out = append(out, fmt.Sprintf("expected output %q is %s", want, v))
			}
			continue
		}
		wanted, err := scope.New(scope.Config{Allowed: []string{want}})
		if err != nil {
			continue
		}
		if _, meets := scope.Overlap(sc, wanted); !meets {
			out = append(out, fmt.Sprintf("expected output %q meets nothing in the scope", want))
		}
	}
	return out
}
