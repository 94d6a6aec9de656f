package main

import (
	"slices"

	"delegate/registry"
)

// asked are the agents that the person was asked about, each with the turns that its work came of: what was sent back and is ready again is new.
type asked map[string]int

func (s asked) add(state registry.State, open [][]string) {
	for _, ag := range state.Agents {
		if slices.Contains(slices.Concat(open...), ag.ID) {
			s[ag.ID] = ag.Turns
		}
	}
}

// without leaves the questions in which something is new.
func (s asked) without(state registry.State, all [][]string) [][]string {
	return slices.DeleteFunc(all, func(together []string) bool { return len(s.since(state, [][]string{together})) == 0 })
}

// since are the agents of the questions that the person was not asked about as they are now.
func (s asked) since(state registry.State, all [][]string) []string {
	var ids []string
	for _, ag := range state.Agents {
		if turns, known := s[ag.ID]; slices.Contains(slices.Concat(all...), ag.ID) && (!known || turns != ag.Turns) {
			ids = append(ids, ag.ID)
		}
	}
	return ids
}
