package main

import (
	"fmt"
	"slices"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/doctor"
	"delegate/internal/program"
	"delegate/internal/ui"
)

// mostLeftovers is how many lines of one kind a person is shown at once.
const mostLeftovers = 8

func (a *app) printDoctor(v doctor.Report) {
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
		a.printf("%s more: delegate doctor --json\n", ui.Plural(cut, "leftover"))
	}
	a.printf("\n")
	const layer = "%-11s  %-11s  "
	a.printf(layer+"What It Does\n", "Layer", "State")
	for _, l := range v.Layers {
		lead := fmt.Sprintf(layer, l.Name, l.State)
		a.printWrapped(lead, text(l.Detail), len(lead))
	}
	a.printf("\n")
	a.printPrograms(v.Programs)
	if v.Default == "" {
		a.printf("\nNo agent program was found; a subtask needs one: install one of these, or write a profile in " +
			".delegate.yaml.\n")
		return
	}
	a.printf("\nA subtask without an agent gets: %s\n", v.Default)
}

// printPrograms shows what is installed, below it what to type where something is missing, and what
// is not installed in one line: a narrow terminal would cut off a column with that.
func (a *app) printPrograms(programs []agent.Inspection) {
	var rows [][]string
	var absent []string
	for _, p := range programs {
		if p.Program == "" && slices.Contains(program.Names(), p.Name) {
			absent = append(absent, p.Name)
			continue
		}
		rows = append(rows, programRow(p))
	}
	if len(rows) > 0 {
		ui.Table(a.out, []string{"Agent Program", "State", "Version", "Login"}, rows, a.term.Width())
	}
	for _, p := range programs {
		if p.Next != "" && !slices.Contains(absent, p.Name) {
			a.printWrapped(fmt.Sprintf("%-13s  → ", p.Name), text(p.Next), 17)
		}
	}
	if len(absent) > 0 {
		a.printWrapped("", "Not installed: "+strings.Join(absent, ", ")+
			". To use one, install it, or name its path in .delegate.yaml: profiles: {NAME: {command: PATH}}", 2)
	}
}

func isLeftover(c doctor.Check) bool {
	switch c.Name {
	case doctor.Worktree, doctor.Branch, doctor.Checkout, doctor.Folder:
		return c.State == doctor.Warning
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
	if p.Program != "" && p.Tested != "" && version == "" {
		version = "unknown"
	}
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
	return []string{p.Name, state, version, login}
}
