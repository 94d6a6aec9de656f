package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/plan"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
)

// print shows the plan with its analysis, and the person's edits that agents do not see.
func (d *draft) print(ctx context.Context) {
	style := d.term.Style
	d.printf("%s\n\n", style.Bold("Delegation plan: "+text(d.whole.Title)))
	d.printSplit()
	if reasoning := strings.TrimSpace(ui.Clean(d.whole.Reasoning)); reasoning != "" {
		d.printQuoted(reasoning)
	}
	for _, sub := range d.whole.Subtasks {
		d.printSubtask(sub)
	}
	d.printBase(ctx)
	d.printTerms()
	d.printMeetings()
	for _, w := range d.analysis.Warnings {
		of := ""
		if w.Subtask > 0 {
			of = fmt.Sprintf("Subtask %d: ", w.Subtask)
		}
		d.printWrapped("", style.Yellow(of+text(w.Text)), 2)
	}
	d.printEdits(ctx)
}

// printSplit answers first whether the work can be shared out, and what that gains.
func (d *draft) printSplit() {
	kind := map[plan.Split]string{plan.SplitYes: "Parallel", plan.SplitPartially: "Partly parallel",
		plan.SplitNo: "Sequential"}[d.analysis.Split]
	d.printWrapped("", kind+": "+text(d.analysis.Why), 2)
	groups := make([]string, 0, len(d.analysis.Groups))
	for _, g := range d.analysis.Groups {
		groups = append(groups, numbers(g))
	}
	d.printf("Order: %s; at most %s agents at a time\n", strings.Join(groups, ", then "), d.p.Config.MaxParallelAgents)
	if d.analysis.Agents > 1 {
		d.printf("%s\n", agentsNeeded(d.analysis.Agents, d.analysis.Duration))
	}
	d.printf("\n")
}

// agentsNeeded sets the time of a plan beside that of its subtasks one after the other.
func agentsNeeded(agents int, t plan.Duration) string {
	share := "as long as"
	for _, s := range []struct {
		above float64
		words string
	}{{0.2, "less than a quarter of"}, {0.29, "about a quarter of"}, {0.41, "about a third of"}, {0.58, "about half"},
		{0.7, "about two thirds of"}, {0.9, "about three quarters of"}} {
		if t.Parallel <= s.above*t.Serial {
			share = s.words
			break
		}
	}
	return fmt.Sprintf("%d agents in parallel, %s the time of running them in sequence", agents, share)
}

func (d *draft) printSubtask(sub plan.Subtask) {
	const hang = 14 // under what the labels name
	style := d.term.Style
	d.linef(style.Bold, "%d. %s", sub.Number, text(sub.Name))
	if !strings.EqualFold(text(sub.Description), text(sub.Name)) {
		d.printWrapped("   ", text(sub.Description), 3)
	}
	d.printf("   agent %s, %s, complexity %s\n", withChoice(d.profile(sub.Agent), sub), sub.Type, sub.Complexity)
	d.printWrapped("   may write: ", fmt.Sprintf("%s (%s)", text(strings.Join(sub.Allowed, ", ")),
		d.size(sub.Number)), hang)
	if len(sub.Forbidden) > 0 {
		d.printWrapped("   may not:   ", text(strings.Join(sub.Forbidden, ", ")), hang)
	}
	if len(sub.ExpectedOutputs) > 0 {
		d.printWrapped("   expected:  ", text(strings.Join(sub.ExpectedOutputs, ", ")), hang)
	}
	if len(sub.Dependencies) > 0 {
		d.printf("   after:     subtask %s\n", numbers(sub.Dependencies))
	}
}

// withChoice is a profile with what the subtask chooses for its program.
func withChoice(profile string, sub plan.Subtask) string {
	for _, chosen := range [][2]string{{"model", sub.Model}, {"effort", sub.Effort}, {"on", sub.On},
		{"budget", sub.Budget}} {
		if chosen[1] != "" {
			profile += ", " + chosen[0] + " " + text(chosen[1])
		}
	}
	return profile
}

// profile is the one that a subtask gets which names this one, or none.
func (d *draft) profile(name string) string {
	found, err := agent.Find(d.p.Config, name)
	if err != nil {
		return "(none is installed)"
	}
	return found.Name
}

// size says how many files a subtask may write, and how many it might.
func (d *draft) size(number int) string {
	said := "no file there yet"
	if n := d.analysis.Sizes[number]; n > 0 {
		said = "today " + ui.Plural(n, "file")
	}
	if limit := d.analysis.ScopeLimit; limit > 0 {
		said += fmt.Sprintf(", limit %d", limit)
	}
	return said
}

// printBase says whether the commit that agents start from is ready, and what is not here of its history.
func (d *draft) printBase(ctx context.Context) {
	style := d.term.Style
	d.printf("\nBase: %s at %.12s", text(cmp.Or(d.p.Config.Base, d.branch)), d.base)
	switch {
	case !d.p.Verifies():
		d.printf(" (no verify commands configured: nothing is tested)\n")
	case d.broken != nil:
		d.printf(" (%s)\n", style.Red(fmt.Sprintf("fails %q: fix it before you start", d.broken.command)))
	case d.remark != "":
		d.printf(" (%s)\n", style.Yellow("not checked"))
	case d.untested:
		d.printf(" (nothing here says how to test it)\n")
	default:
		d.printf(" (passes its tests)\n")
	}
	if missing := d.p.Repo.Unfetched(ctx); missing != "" {
		d.linef(style.Yellow, "%s", missing)
	}
}

// printTerms says on what terms the agents would work, where they are not the usual ones.
func (d *draft) printTerms() {
	style := d.term.Style
	if d.supervision == session.SemiAutonomous {
		d.linef(style.Yellow, "%s", "Semi-autonomous: progress reports are approved automatically; finished work that "+
			"passes the tests is merged into delegate/…/integration. "+
			"Merging into "+text(d.branch)+" still needs your yes.")
		if !d.p.Verifies() {
			d.linef(style.Yellow, "%s",
				"No verify commands are configured, so nothing is tested and nothing is merged automatically.")
		}
	}
	if d.sandbox != "" {
		d.linef(style.Red, "Sandbox %s: the agents have all your rights.", d.sandbox)
	}
}

// printMeetings shows where subtasks that nothing orders can meet: by their scopes.
func (d *draft) printMeetings() {
	var predicted []conflict.Finding
	for _, o := range d.analysis.Overlaps {
		if !o.Ordered {
			predicted = append(predicted,
				conflict.Predicted(fmt.Sprintf("subtask %d", o.A), fmt.Sprintf("subtask %d", o.B), o.Witness))
		}
	}
	d.printFindings(predicted)
}

func (d *draft) printEdits(ctx context.Context) {
	edits, err := d.p.Edits(ctx)
	if err != nil || len(edits) == 0 {
		return
	}
	names := make([]string, 0, len(edits))
	for _, e := range edits {
		names = append(names, e.Path)
	}
	d.printf("Agents do not see your uncommitted edits: %s\n", someNames(names))
}

func numbers(all []int) string {
	words := make([]string, 0, len(all))
	for _, n := range all {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, " + ")
}
