package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/conflict"
	"delegate/internal/agent"
	"delegate/internal/plan"
	"delegate/internal/session"
	"delegate/internal/ui"
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
	d.printBase()
	d.printTerms()
	d.printMeetings()
	for _, w := range d.analysis.Warnings {
		d.printWrapped("", style.Yellow(fmt.Sprintf("Subtask %d: %s", w.Subtask, text(w.Text))), 2)
	}
	for _, gap := range d.analysis.Gaps {
		d.printWrapped("", text("Not looked at: "+gap), 2)
	}
	d.printEdits(ctx)
}

// printSplit answers first whether the work can be shared out, and what that gains.
func (d *draft) printSplit() {
	d.printWrapped("", fmt.Sprintf("Can it be split: %s: %s", d.analysis.Split, text(d.analysis.Why)), 2)
	groups := make([]string, 0, len(d.analysis.Groups))
	for _, g := range d.analysis.Groups {
		groups = append(groups, numbers(g))
	}
	d.printf("Order: %s; at most %s agents at a time\n", strings.Join(groups, ", then "), d.p.Config.MaxParallelAgents)
	d.printf("Agents needed: %d%s\n\n", d.analysis.Agents, comparison(d.analysis.Duration, len(d.whole.Subtasks)))
}

// comparison sets the time of a plan beside that of its longest subtask; "" where there is nothing to compare.
func comparison(t plan.Duration, subtasks int) string {
	if subtasks < 2 || t.Longest == 0 {
		return ""
	}
	together, alone := fmt.Sprintf("%.1f", t.Parallel/t.Longest), fmt.Sprintf("%.1f", t.Serial/t.Longest)
	switch {
	case together == alone:
		return fmt.Sprintf("; about %s times the longest subtask, which is nothing gained over one after the other",
			alone)
	case together == "1.0":
		return fmt.Sprintf("; about as long as the longest subtask instead of %s times that one after the other", alone)
	}
	return fmt.Sprintf("; about %s times the longest subtask instead of %s one after the other", together, alone)
}

func (d *draft) printSubtask(sub plan.Subtask) {
	const hang = 14 // under what the labels name
	style := d.term.Style
	d.linef(style.Bold, "%d. %s", sub.Number, text(sub.Name))
	if !strings.EqualFold(text(sub.Description), text(sub.Name)) {
		d.printWrapped("   ", text(sub.Description), 3)
	}
	profile := "(none is installed)"
	if found, err := agent.Find(d.p.Config, sub.Agent); err == nil {
		profile = found.Name
	}
	size := fmt.Sprint(d.analysis.Sizes[sub.Number])
	if limit := d.analysis.ScopeLimit; limit > 0 {
		size += fmt.Sprintf(" of %d", limit)
	}
	d.printf("   agent %s, %s, complexity %s, %s files in scope today\n", profile, sub.Type, sub.Complexity, size)
	d.printWrapped("   may write: ", text(strings.Join(sub.Allowed, ", ")), hang)
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

// printBase says whether the commit that agents start from is ready.
func (d *draft) printBase() {
	style := d.term.Style
	d.printf("\nBase: %s at %.12s", text(d.branch), d.base)
	switch {
	case !d.p.Verifies():
		d.printf(" (no verify commands configured: nothing is tested)\n")
	case d.broken != nil:
		d.printf(" (%s)\n", style.Red(fmt.Sprintf("does not pass %q: mend it before you start", d.broken.command)))
	case d.remark != "":
		d.printf(" (%s)\n", style.Yellow("not checked"))
	case d.untested:
		d.printf(" (nothing in it says how it is tested)\n")
	default:
		d.printf(" (passes its verify commands)\n")
	}
}

// printTerms says on what terms the agents would work, where they are not the usual ones.
func (d *draft) printTerms() {
	style := d.term.Style
	if d.supervision == session.SemiAutonomous {
		d.linef(style.Yellow, "%s", "Semi-autonomous: a checkpoint that asks for nobody passes; finished work that "+
			"is clean and tested gathers on a branch of the session. "+
			"What lands on "+text(d.branch)+" waits for your yes.")
		if !d.p.Verifies() {
			d.linef(style.Yellow, "%s", "No verify commands are configured, so nothing is tested and nothing gathers.")
		}
	}
	if d.sandbox != "" {
		d.linef(style.Red, "Sandbox %s: the agents have all your rights.", d.sandbox)
	}
}

// printMeetings shows where subtasks that nothing orders can meet: by their scopes, and by what code and history tell.
func (d *draft) printMeetings() {
	var predicted []conflict.Finding
	for _, o := range d.analysis.Overlaps {
		if !o.Ordered {
			predicted = append(predicted,
				conflict.Predicted(fmt.Sprintf("subtask %d", o.A), fmt.Sprintf("subtask %d", o.B), o.Witness))
		}
	}
	d.printFindings(predicted)
	if len(d.analysis.Forecasts) > 0 {
		d.printf("Predicted from code and history (nothing orders these subtasks):\n")
	}
	for _, f := range d.analysis.Forecasts {
		lead := fmt.Sprintf("  %d × %d  ", f.A, f.B)
		for _, sign := range f.Signs {
			d.printWrapped(lead, text(sign.Text), 4)
		}
		if f.More > 0 {
			d.printf("%sand %d more\n", lead, f.More)
		}
	}
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
	const most = 8
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	d.printf("Your uncommitted edits stay yours; agents do not see them: %s%s\n", text(strings.Join(names, ", ")),
		more)
}

func numbers(all []int) string {
	words := make([]string, 0, len(all))
	for _, n := range all {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, " + ")
}
