package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Split says whether the work of a plan can be shared out.
type Split string

// The answers.
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
		return SplitNo, "it is one subtask"
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
		meet = append(meet[:most], fmt.Sprintf("%d more pairs", more))
	}
	if len(meet) > 0 {
		why = append(why, "the scopes of "+strings.Join(meet, ", of ")+" can meet and nothing orders them")
	}
	if len(why) > 0 {
		return SplitPartially, strings.Join(why, "; ")
	}
	return SplitYes, fmt.Sprintf("all %d subtasks can run at the same time, and no two scopes can meet", count)
}

// Duration is how long a plan takes, in units of one subtask of type STANDARD and medium complexity.
// It is an estimate to compare plans by and says nothing about hours. Waiting for people is not in it.
type Duration struct {
	// Subtasks is that of each subtask.
	Subtasks map[int]float64
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
