package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/text/ui"
	"delegate/scope"
)

// Duration is how long a plan takes, in units of one subtask of type STANDARD and medium complexity.
// It is an estimate to compare plans by and says nothing about hours. Waiting for people is not in it.
type Duration struct {
	Subtasks map[int]float64 // that of each subtask
	// Longest is that of the longest subtask, Serial that of all one after the other,
	// Parallel that of the plan with as many agents as may run at the same time.
	Longest, Serial, Parallel float64
}

// weight follows the times that the types are expected to take, 5, 10, 20 and 30 minutes.
func weight(s Subtask) float64 {
	w := 1.0
	switch s.Type {
	case Quick:
		w = 0.5
	case Research:
		w = 2
	case Orchestration:
		w = 3
	}
	switch s.Complexity {
	case Low:
		w /= 2
	case High:
		w *= 2
	}
	return w
}

// durationOf plays the plan: whenever an agent is free, it takes the lowest number that waits for nothing.
func durationOf(p *Plan, f Facts) Duration {
	d := Duration{Subtasks: map[int]float64{}}
	g := graphOf(p.Subtasks)
	for _, s := range p.Subtasks {
		w := weight(s)
		d.Subtasks[s.Number] = w
		d.Longest, d.Serial = max(d.Longest, w), d.Serial+w
	}
	left, running, done := slices.Sorted(slices.Values(g.order)), map[int]float64{}, map[int]bool{}
	for len(left)+len(running) > 0 {
		left = slices.DeleteFunc(left, func(n int) bool {
			waits := slices.ContainsFunc(g.deps[n], func(dep int) bool { return !done[dep] })
			if waits || f.MaxParallel > 0 && len(running) >= f.MaxParallel {
				return false
			}
			running[n] = d.Parallel + d.Subtasks[n]
			return true
		})
		first := 0.0
		for _, end := range running {
			if first == 0 || end < first {
				first = end
			}
		}
		d.Parallel = first
		for n, end := range running {
			if end <= first {
				delete(running, n)
				done[n] = true
			}
		}
	}
	return d
}

// Split says whether the work of a plan can be shared out.
type Split string

// The values of Analysis.Split.
const (
	// SplitYes: all subtasks can run at the same time, and no two scopes can meet.
	SplitYes Split = "Yes"
	// SplitNo: there is one subtask, or each waits for another so that no two ever run together.
	SplitNo Split = "No"
	// SplitPartially: some can run together, but others wait, or scopes of some that run together can meet.
	SplitPartially Split = "Partially"
)

// splitOf answers for a plan whose groups and overlaps are known, with the reason as a clause.
func splitOf(a Analysis) (Split, string) {
	count, widest := 0, 0
	for _, g := range a.Groups {
		count, widest = count+len(g), max(widest, len(g))
	}
	switch {
	case count <= 1:
		return SplitNo, "there is one subtask"
	case widest == 1:
		return SplitNo, "each subtask waits for the one before it, so no two run at the same time"
	}
	var why []string
	if waiting := count - len(a.Groups[0]); waiting > 0 {
		why = append(why, fmt.Sprintf("%d of %d subtasks wait for others", waiting, count))
	}
	var meet []string
	for _, o := range a.Overlaps {
		if !o.Ordered {
			meet = append(meet, fmt.Sprintf("%d and %d", o.A, o.B))
		}
	}
	const most = 3
	if more := len(meet) - most; more > 0 {
		meet = append(meet[:most], ui.Plural(more, "more pair"))
	}
	if len(meet) > 0 {
		why = append(why, "subtasks "+strings.Join(meet, ", ")+" may change the same files")
	}
	if len(why) > 0 {
		return SplitPartially, strings.Join(why, "; ")
	}
	all := fmt.Sprintf("all %d subtasks", count)
	if count == 2 {
		all = "both subtasks"
	}
	return SplitYes, all + ", no overlapping files"
}

// Analysis is what follows from a plan. All of it is advice; what to refuse is for the caller.
type Analysis struct {
	// Split says whether the work can be shared out, and Why gives the reason as a clause.
	Split Split
	Why   string
	// Groups are the subtask numbers by level: those of the first depend on nothing,
	// those of each further one on subtasks of the groups before it. Within a group all can run together.
	Groups     [][]int
	Sizes      map[int]int // how many existing files each subtask's scope matches
	ScopeLimit int         // how many one may match; 0 is no limit
	// OverLimit are the subtasks whose size is above the limit, ascending. Each has a warning, too.
	OverLimit []int
	Overlaps  []Overlap // the pairs whose scopes can meet, in the order of A, then B
	Warnings  []Warning // in the order of the plan
	Agents    int       // how many agents run at the same time at most
	// Duration compares the plan with doing all of it one after the other.
	Duration Duration
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
	Subtask int // 0 if it is about several, which the text names
	Text    string
}

// Analyze works out what follows from the plan.
// A plan that Parse accepted with the same options gives no error;
// in others, subtasks that cannot be ordered are a *Faults, and a refused scope is an error that wraps scope's.
func Analyze(p *Plan, o Options, f Facts) (Analysis, error) {
	if err := checkNumbers(p); err != nil {
		return Analysis{}, err
	}
	scopes, err := scopesOf(p, o)
	if err != nil {
		return Analysis{}, err
	}
	g := graphOf(p.Subtasks)
	out := Analysis{
		Groups:     g.levels(),
		Sizes:      map[int]int{},
		ScopeLimit: f.ScopeLimit,
		Overlaps:   overlaps(g, scopes),
		Duration:   durationOf(p, f),
	}
	out.Split, out.Why = splitOf(out)
	advice := newAdviser(f)
	broad := wholeFolders(p, scopes)
	if len(broad) > 1 {
		out.Warnings = append(out.Warnings, Warning{0, strings.Join(broad, ", ") +
			": whole top-level folders; name the parts of them that the tasks need"})
	}
	for _, s := range p.Subtasks {
		sc := scopes[s.Number]
		files := sc.Select(f.Files)
		out.Sizes[s.Number] = len(files)
		if f.ScopeLimit > 0 && len(files) > f.ScopeLimit {
			out.OverLimit = append(out.OverLimit, s.Number)
			out.Warnings = append(out.Warnings,
				Warning{s.Number, fmt.Sprintf("the scope matches %d files, the limit is %d", len(files), f.ScopeLimit)})
		}
		for _, text := range slices.Concat(scopeWarnings(sc, o, len(broad)), outputWarnings(s, sc),
			advice.about(s, sc, files)) {
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

// checkNumbers refuses what a plan that was parsed cannot have.
func checkNumbers(p *Plan) error {
	lines := map[int]int{}
	var faults []Fault
	for _, s := range p.Subtasks {
		if _, twice := lines[s.Number]; twice || s.Number <= 0 {
			faults = append(faults, Fault{s.Line,
				fmt.Sprintf("subtask number %d is not positive or used twice", s.Number)})
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

// wholeFolders returns the scopes that are a whole top-level folder.
func wholeFolders(p *Plan, scopes map[int]*scope.Scope) (patterns []string) {
	for _, s := range p.Subtasks {
		for _, w := range scopes[s.Number].Warnings() {
			if w.Kind == scope.TooBroad {
				patterns = append(patterns, strconv.Quote(w.Pattern))
			}
		}
	}
	return patterns
}

// scopeWarnings leaves out that a configured forbidden pattern meets nothing here, since it was not written for this
// subtask, and what is said once of several scopes that are whole folders.
func scopeWarnings(sc *scope.Scope, o Options, broad int) []string {
	var out []string
	for _, w := range sc.Warnings() {
		if w.Kind == scope.UselessForbidden && slices.Contains(o.Forbidden, w.Pattern) ||
			w.Kind == scope.TooBroad && broad > 1 {
			continue
		}
		out = append(out, w.String())
	}
	return out
}

// OutputFaults are the expected outputs that no agent could make, since the scope of its subtask
// does not allow them; each with the line of the subtask. In a plan that Parse refused with the
// same options a scope may be an error.
func OutputFaults(p *Plan, o Options) ([]Fault, error) {
	scopes, err := scopesOf(p, o)
	if err != nil {
		return nil, err
	}
	var out []Fault
	for _, s := range p.Subtasks {
		for _, text := range outputWarnings(s, scopes[s.Number]) {
			out = append(out, Fault{s.Line, fmt.Sprintf("subtask %d: %s", s.Number, text)})
		}
	}
	return out, nil
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
