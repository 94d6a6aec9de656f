package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/text/ui"
	"delegate/internal/tidy/cleanup"
	"delegate/internal/tidy/doctor"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
)

// mostLeftovers is how many lines of one kind a person is shown at once.
const mostLeftovers = 8

func (a *app) printDoctor(v doctor.Report) {
	a.printChecks(v.Checks)
	a.printf("\n")
	a.printLayers(v.Layers)
	a.printf("\n")
	a.printReading(v)
	a.printPrograms(v.Programs)
	for _, p := range v.Programs {
		if v.ClosedNetwork && p.Program != "" && len(p.Hosts) > 0 {
			a.printWrapped(fmt.Sprintf("%-13s  reaches ", p.Name), text(strings.Join(p.Hosts, ", "))+
				" and sandbox.hosts", 17)
		}
	}
	if own := ownProfiles(v.Programs); v.Default == "" && len(own) > 0 {
		a.printf("\nA subtask has to name its agent (%s); for a default, write  agent: %s  into .delegate.yaml.\n",
			text(strings.Join(own, ", ")), text(own[0]))
		return
	}
	if v.Default == "" {
		a.printf("\nNo agent program was found; a subtask needs one: install one of these, or write a profile in " +
			".delegate.yaml.\n")
		return
	}
	a.printf("\nA subtask without an agent gets: %s\n", v.Default)
}

// printEngine shows what was found of an engine, and what this program found there where a job was tried.
func (a *app) printEngine(v doctor.Report) {
	a.printChecks(v.Checks)
	if len(v.Layers) == 0 {
		return
	}
	a.printf("\nThere:\n")
	a.printLayers(v.Layers)
	a.printf("\n")
	a.printPrograms(v.Programs)
}

func (a *app) printChecks(checks []doctor.Check) {
	shown, cut := map[string]int{}, 0
	for _, c := range checks {
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
}

func (a *app) printLayers(layers []sandbox.Layer) {
	const layer = "%-11s  %-11s  "
	a.printf(layer+"What It Does\n", "Layer", "State")
	for _, l := range layers {
		lead := fmt.Sprintf(layer, text(l.Name), text(l.State))
		a.printWrapped(lead, text(l.Detail), len(lead))
	}
}

// printReading says what of the home agents see and what not.
func (a *app) printReading(v doctor.Report) {
	hidden := "Hidden from agents"
	if !v.Hidden {
		hidden = "Not hidden from agents here"
	}
	a.printWrapped("", hidden+" ("+ui.Plural(len(v.Credentials), "place")+" of logins, keys and histories): "+
		text(cmp.Or(strings.Join(v.Credentials, ", "), "none is here")), 2)
	switch {
	case v.Readable != nil:
		a.printWrapped("", "Readable of your home (sandbox.read: list): "+text(strings.Join(v.Readable, ", ")), 2)
	case v.Hidden:
		a.printWrapped("", "Readable of your home: everything else (sandbox.read: home)", 2)
	}
	a.printf("\n")
}

// ownProfiles are the installed programs that only the configuration knows.
func ownProfiles(programs []agent.Inspection) (names []string) {
	for _, p := range programs {
		if p.Program != "" && !slices.Contains(program.Names(), p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
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
	for _, p := range programs {
		if given := p.Given.String(); given != "" {
			a.printWrapped(fmt.Sprintf("%-13s  is given ", p.Name), text(given), 17)
		}
	}
	if len(absent) > 0 {
		a.printWrapped("", "Not installed: "+strings.Join(absent, ", ")+
			". To use one, install it, or name its path in .delegate.yaml: profiles: {NAME: {command: PATH}}", 2)
	}
}

func isLeftover(c doctor.Check) bool {
	switch cleanup.Kind(c.Name) {
	case cleanup.Worktree, cleanup.Branch, cleanup.Checkout, cleanup.Folder:
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
