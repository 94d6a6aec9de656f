package plan

import (
	"slices"
)

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
