package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"delegate/internal/overview"
	"delegate/internal/project"
	"delegate/internal/review"
	"delegate/internal/sandbox"
	"delegate/internal/session"
	"delegate/internal/status"
	"delegate/internal/turnsetup"
	"delegate/internal/ui"
	"delegate/internal/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// showCommand is `delegate show AGT-001`.
func (a *app) showCommand() *cobra.Command {
	return a.ofSession(a.jsonFlag(command("show AGENT",
		"show one agent: state, scope, its report beside the diff, events", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			p, state, ag, err := a.agent(ctx, args[0])
			if err != nil {
				return err
			}
			v := showOf(ctx, p, state, ag)
			markCollected(p, state, ag)
			return a.answer(v, func() { a.printAgent(v, ag) })
		})))
}

type showView struct {
	status.AgentView
	Report status.Report   `json:"report"`
	Next   string          `json:"next"`
	Layers []sandbox.Layer `json:"layers"` // what holds it in
	Loose  []string        `json:"loose"`  // what the kernel leaves to the watch and the gate
	// Remarks are what its diff does not say: what runs by itself once it is merged, what its history brings.
	Remarks []review.Remark `json:"remarks"`
	Events  []eventView     `json:"events"`
}

type eventView struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Details string    `json:"details"`
	By      string    `json:"by"`
}

func showOf(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) showView {
	v := showView{AgentView: status.View(ctx, p, state, ag), Report: status.ReportOf(p, state, ag),
		Next: status.Next(ag), Events: []eventView{}, Remarks: hiddenIn(ctx, p, state, ag)}
	v.Layers, v.Loose = turnsetup.Layers(ctx, p, state, ag)
	v.Loose = append([]string{}, v.Loose...)
	for _, e := range state.Events {
		if e.Agent == ag.ID {
			v.Events = append(v.Events, eventView{e.Time, string(e.Kind), e.Details, e.By})
		}
	}
	return v
}

// hiddenIn is what the review says of work that a person may merge, beside its diff. What cannot be
// read now the landing
// finds again.
func hiddenIn(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) []review.Remark {
	all, err := overview.Hidden(ctx, p, state, ag)
	if err != nil {
		return []review.Remark{}
	}
	return append([]review.Remark{}, all...)
}

func (a *app) printAgent(v showView, ag registry.Agent) {
	a.printAgentFields(v, ag)
	if v.Report.Block != "" || v.Report.Summary != "" {
		a.printf("\n")
	}
	if v.Status == registry.Checkpoint && !strings.Contains(v.Report.Block, ag.Question) {
		a.printf("It waits with these words:\n")
		a.printQuoted(ui.Clean(ag.Question))
	}
	a.printReport(v.Report)
	a.printRemarks(v.Remarks)
	a.printEvents(v.Events)
	if v.Next != "" {
		a.printf("\nNext: %s\n", v.Next)
	}
}

func (a *app) printAgentFields(v showView, ag registry.Agent) {
	style := a.term.Style
	a.printf("%s  %s  %s  %s\n", style.Bold(v.Name), v.ID, watch.State(style, v.Status), text(v.Subtask))
	field := func(name, value string) {
		if value != "" {
			a.printf("  %-12s %s\n", name, value)
		}
	}
	field("attempt", fmt.Sprintf("%d, turn %d, program %s", v.Attempt, v.Turns, text(ag.Profile)))
	field("may write", text(strings.Join(v.Scope.Allowed, ", ")))
	field("may not", mayNot(v.Scope.Forbidden))
	field("branch", v.Branch)
	field("base, head", fmt.Sprintf("%.12s %.12s", v.Base, v.Head))
	field("worktree", v.Worktree)
	field("output", v.Output)
	field("changed", fmt.Sprintf("%s (+%d −%d): %s", ui.Plural(v.FilesChanged, "file"), v.Insertions, v.Deletions,
		text(session.FilesText(v.Report.Files))))
	if len(v.Refused) > 0 {
		field("refused", fmt.Sprintf("%s, as its output says; to allow: delegate scope %s --allow %s",
			text(strings.Join(v.Refused, ", ")), v.Name, asTyped(v.Refused[:1])))
	}
	field("tests", strings.ReplaceAll(v.Tests, "_", " "))
	if v.Tokens > 0 {
		field("used", usedText(v))
	}
	field("notes", a.named(strings.Join(ag.Flags.Words(), "; ")))
	field("last error", a.named(v.LastError))
	for _, l := range v.Layers {
		field(l.Name, l.State+": "+text(l.Detail))
	}
	for _, l := range v.Loose {
		field("not in it", text(l))
	}
}

// usedText is what an agent used up. Many programs do not know what it costs.
func usedText(v showView) string {
	used := fmt.Sprintf("%d tokens", v.Tokens)
	if v.CostUSD > 0 {
		used += fmt.Sprintf(", %.2f US$", v.CostUSD)
	}
	return used
}

func (a *app) printEvents(events []eventView) {
	if len(events) > 0 {
		a.printf("\n")
	}
	for _, e := range events {
		a.printf("  %s  %-13s %s%s\n", e.Time.Format(time.DateTime), e.Event, a.named(e.Details),
			a.state.WithNames(by(e.By)))
	}
}

// markCollected notes that an agent's result was fetched, unless an agent is who looks.
func markCollected(p *project.Project, state registry.State, ag registry.Agent) {
	if ag.Status != registry.Running && ag.Status != registry.Spawning && insideAgent() == nil {
		p.Collect(state.Session.ID, ag)
	}
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " (by " + text(who) + ")"
}
