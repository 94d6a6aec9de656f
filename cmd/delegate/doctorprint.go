package main

import (
	"strings"

	"delegate/internal/agent"
	"delegate/internal/ui"
	"delegate/internal/upkeep"
)

// mostLeftovers is how many lines of one kind a person is shown at once.
const mostLeftovers = 8

func (a *app) printDoctor(v doctorView) {
	shown, cut := map[string]int{}, 0
	for _, c := range v.Checks {
		if shown[c.Name]++; shown[c.Name] > mostLeftovers && isLeftover(c) {
			cut++
			continue
		}
		a.printf("%-13s %-8s %s\n", c.Name, c.State, text(c.Text))
		if c.Next != "" {
			a.printf("%-22s → %s\n", "", text(c.Next))
		}
	}
	if cut > 0 {
		a.printf("%s more: delegate doctor --json\n", plural(cut, "leftover"))
	}
	a.printf("\n")
	var layers [][]string
	for _, l := range v.Layers {
		layers = append(layers, []string{l.Name, l.State, text(l.Detail)})
	}
	ui.Table(a.out, []string{"Layer", "State", "What It Does"}, layers, a.term.Width())
	a.printf("\n")
	var rows [][]string
	for _, p := range v.Programs {
		rows = append(rows, programRow(p))
	}
	ui.Table(a.out, []string{"Agent Program", "State", "Version", "Login", "Next"}, rows, a.term.Width())
	if v.Default == "" {
		a.printf("\nNo agent program was found; a subtask needs one: install one of these, or write a profile in .delegate.yaml.\n")
		return
	}
	a.printf("\nA subtask without an agent gets: %s\n", v.Default)
}

func isLeftover(c checkup) bool {
	switch c.Name {
	case upkeep.Worktree, upkeep.Branch, upkeep.Checkout, upkeep.Folder:
		return c.State == stateWarning
	}
	return false
}

func programRow(p agent.Inspection) []string {
	state := "installed"
	switch {
	case p.Program == "":
		state = "-"
	case p.Untested:
		state = "installed, untested profile"
	}
	version := text(p.Version)
	if p.Program != "" && p.Tested != "" && !strings.Contains(p.Version, p.Tested) {
		version += " (run here: " + p.Tested + ")"
	}
	login := ""
	switch {
	case p.Program == "":
	case p.LoginBy != "":
		login = text(p.LoginBy)
	case p.Unsure:
		login = "unknown"
	default:
		login = "none found"
	}
	return []string{p.Name, state, version, login, text(p.Next)}
}
