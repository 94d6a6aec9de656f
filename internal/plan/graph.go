package plan

import (
	"fmt"
	"slices"
	"strings"
)

// graph holds the dependencies of subtasks, by number.
// Subtasks without a usable number are left out.
type graph struct {
	order []int
	deps  map[int][]int
}

func graphOf(subtasks []Subtask) graph {
	g := graph{deps: map[int][]int{}}
	for _, s := range subtasks {
		if s.Number > 0 {
			g.order = append(g.order, s.Number)
			g.deps[s.Number] = s.Dependencies
		}
	}
	return g
}

// faults returns what keeps the subtasks from being ordered; lines says where each one's dependencies stand.
func (g graph) faults(lines map[int]int) []Fault {
	var out []Fault
	for _, n := range g.order {
		for _, d := range g.deps[n] {
			if d == n {
				out = append(out, Fault{lines[n], fmt.Sprintf("subtask %d depends on itself", n)})
			} else if _, known := g.deps[d]; !known {
				out = append(out, Fault{lines[n],
					fmt.Sprintf("subtask %d depends on subtask %d, which does not exist", n, d)})
			}
		}
	}
	for _, c := range g.cycles() {
		walk := strings.Trim(fmt.Sprint(append(c, c[0])), "[]")
		out = append(out, Fault{lines[c[0]], "dependencies form a cycle: " + strings.ReplaceAll(walk, " ", " → ")})
	}
	return out
}

// cycles returns at least one cycle of every knot, and none if the graph has no cycle: closed walks,
// the smallest number first and not repeated at the end.
// Subtasks that depend on themselves are not among them.
func (g graph) cycles() [][]int {
	var found [][]int
	var path []int
	done := map[int]bool{}
	var visit func(n int)
	visit = func(n int) {
		if at := slices.Index(path, n); at >= 0 {
			walk := path[at:]
			first := slices.Index(walk, slices.Min(walk))
			c := slices.Concat(walk[first:], walk[:first])
			if !slices.ContainsFunc(found, func(o []int) bool { return slices.Equal(o, c) }) {
				found = append(found, c)
			}
			return
		}
		if done[n] {
			return
		}
		path = append(path, n)
		for _, d := range g.deps[n] {
			if d != n {
				visit(d)
			}
		}
		path = path[:len(path)-1]
		done[n] = true
	}
	for _, n := range g.order {
		visit(n)
	}
	return found
}

// levels groups the subtasks by the longest chain of dependencies below them.
// The graph must have no faults.
func (g graph) levels() [][]int {
	level := map[int]int{}
	var depth func(n int) int
	depth = func(n int) int {
		if d, ok := level[n]; ok {
			return d
		}
		most := 0
		for _, d := range g.deps[n] {
			most = max(most, depth(d)+1)
		}
		level[n] = most
		return most
	}
	var groups [][]int
	for _, n := range slices.Sorted(slices.Values(g.order)) {
		d := depth(n)
		for len(groups) <= d {
			groups = append(groups, nil)
		}
		groups[d] = append(groups[d], n)
	}
	return groups
}

// below returns for each subtask everything it depends on, also through others.
// The graph must have no faults.
func (g graph) below() map[int]map[int]bool {
	all := map[int]map[int]bool{}
	for _, group := range g.levels() {
		for _, n := range group {
			set := map[int]bool{}
			for _, d := range g.deps[n] {
				set[d] = true
				for under := range all[d] {
					set[under] = true
				}
			}
			all[n] = set
		}
	}
	return all
}
