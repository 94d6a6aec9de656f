package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/internal/view/overview"
	"delegate/internal/view/status"
	"delegate/internal/view/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// showCommand is `delegate show AGT-001`.
func (a *app) showCommand() *cobra.Command {
	return a.ofSession(a.jsonFlag(command("show [AGENT]",
		"show one agent: state, scope, its report against the diff, events", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			p, state, ag, err := a.oneAgentOf(ctx, "show", args)
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
	Given  agent.Given     `json:"given"`  // what its program was given beside the prompt
	// Tried is what the kernel refused in its last turn, with numbers.
	Tried []keeper.Refusal `json:"tried"`
	// Remarks are what its diff does not say: what runs by itself once it is merged, what its history brings.
	Remarks []review.Remark `json:"remarks"`
	Events  []eventView     `json:"events"`
	// Conversation is how a person goes on with it by hand; null where there is none, or nobody told how.
	Conversation *session.Resumption `json:"conversation"`

	removed []string // what the record names and is not there any more: its branch, its worktree
}

type eventView struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Details string    `json:"details"`
	By      string    `json:"by"`
}

func showOf(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) showView {
	v := showView{AgentView: status.View(ctx, p, state, ag), Report: status.ReportOf(p, state, ag),
		Next: status.Next(p, ag, status.Holding(p, state)), Events: []eventView{},
		Remarks: hiddenIn(ctx, p, state, ag)}
	v.BaseBehind = status.Behind(ctx, p, state)[ag.ID]
	v.Layers, v.Loose = turnsetup.Layers(ctx, p, state, ag)
	v.Loose = append([]string{}, v.Loose...)
	v.Tried, _ = keeper.Turn{Dir: p.TurnDir(state.Session.ID, ag.ID, ag.Turns)}.Refusals() // most turns have none
	v.Tried = append([]keeper.Refusal{}, v.Tried...)
	if p.Gone(ag) {
		v.removed = append(v.removed, ag.Worktree)
	}
	if _, err := p.Repo.Resolve(ctx, "refs/heads/"+ag.Branch); ag.Branch != "" && errors.Is(err, git.ErrNoCommit) {
		v.removed = append(v.removed, ag.Branch)
	}
	if r, found := session.ResumptionOf(p, state.Session.ID, ag); found && !slices.Contains(v.removed, ag.Worktree) {
		v.Conversation = &r
	}
	v.Given = turnsetup.Given(ctx, p, state.Session.ID, ag)
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
	a.printWait(v, ag)
	a.printReport(v.Report)
	a.printRemarks(v.Remarks)
	a.printEvents(v.Events)
	if v.Next != "" {
		a.printf("\nNext: %s\n", v.Next)
	}
}

// printWait prints the words that an agent waits with, as far as its report does not have them.
func (a *app) printWait(v showView, ag registry.Agent) {
	if v.Status == registry.Checkpoint && !strings.Contains(v.Report.Block+"\n"+v.Report.Summary, ag.Question) {
		a.printf("It waits with these words:\n")
		a.printQuoted(ui.Clean(ag.Question))
	}
}

func (a *app) printAgentFields(v showView, ag registry.Agent) {
	style := a.term.Style
	a.printf("%s  %s  %s  %s\n", style.Bold(v.Name), v.ID, watch.State(style, v.Status, v.Word()), text(v.Subtask))
	field := func(name, value string) {
		if slices.Contains(v.removed, value) {
			value = "removed"
		}
		if value != "" {
			a.printWrapped(fmt.Sprintf("  %-12s ", name), value, len("  ")+12+1)
		}
	}
	field("attempt", fmt.Sprintf("%d, turn %d, %s", v.Attempt, v.Turns, programWords(v, ag)))
	field("may write", text(scopeWords(v.Scope.Allowed)))
	field("may not", mayNot(v.Scope.Forbidden))
	field("branch", v.Branch)
	field("base, head", fmt.Sprintf("%.12s %.12s", v.Base, v.Head))
	if v.BaseBehind > 0 {
		field("behind", fmt.Sprintf("its base is %s behind %s; to bring it up to date: delegate adapt %s",
			ui.Plural(v.BaseBehind, "commit"), text(a.state.Session.Target), v.Name))
	}
	field("worktree", v.Worktree)
	field("output", v.Output)
	changed := fmt.Sprintf("%s (+%d −%d)", ui.Plural(v.FilesChanged, "file"), v.Insertions, v.Deletions)
	if files := ag.ChangedFiles(); len(files) > 0 { // they are known at a turn's end
		changed += ": " + text(session.FilesText(pathTexts(files)))
	}
	field("changed", changed)
	if tried := status.Tried(v.Refused, v.RefusedCalls); tried != "" {
		field("refused", text(tried))
		if beyond := a.opened.Beyond(ag); len(beyond) > 0 {
			field("careful", text(status.BeyondText(ag, beyond)))
		}
		for _, way := range status.Allowing(a.opened, ag).Each() {
			field("to allow", text(way))
		}
	}
	field("often", text(triedOften(v.Tried)))
	field("given", text(v.Given.String()))
	if c := v.Conversation; c != nil {
		field("conversation", text(c.ID)+", by hand: "+text(c.Line()))
	}
	field("tests", strings.ReplaceAll(v.Tests, "_", " "))
	used := session.UsageWords(v.Usage)
	if used != "" && v.Budget != "" {
		used += " (of its budget of " + v.Budget + ")"
	}
	field("used", used)
	notes := v.FlagWords()
	if lost := registry.FlagResponseLost.Flag(); ag.Flags.Has(lost.Kind) {
		notes = append(notes, lost.Words()+map[bool]string{true: "; its changes are there"}[v.FilesChanged > 0])
	}
	field("notes", a.named(strings.Join(notes, "; ")))
	field("last error", a.named(v.LastError))
	for _, l := range v.Layers {
		field(l.Name, l.State+": "+text(l.Detail))
	}
	for _, l := range v.Loose {
		field("not in it", text(l))
	}
}

// programWords are the agent's program, and how it is started.
func programWords(v showView, ag registry.Agent) string {
	program := "program " + text(ag.Profile)
	if v.Model != "" {
		program += ", model " + text(v.Model)
	}
	if v.Effort != "" {
		program += ", effort " + text(v.Effort)
	}
	if v.On != "" {
		program += ", on " + text(v.On)
	}
	return program
}

func (a *app) printEvents(events []eventView) {
	if len(events) > 0 {
		a.printf("\n")
	}
	for _, e := range events {
		details := a.named(e.Details)
		if e.Event == string(registry.EventConflict) {
			details = forPeople(a.state, e.Details)
		}
		a.printWrapped(fmt.Sprintf("  %s  %-13s ", e.Time.Format(time.DateTime), e.Event),
			details+a.state.WithNames(by(e.By)), 6)
	}
}

// markCollected notes that an agent's result was fetched, unless an agent is who looks.
func markCollected(p *project.Project, state registry.State, ag registry.Agent) {
	if ag.Status != registry.Running && ag.Status != registry.Spawning && !p.Inside {
		p.Collect(state.Session.ID, ag)
	}
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " (by " + text(who) + ")"
}

// triedOften are those refusals that came more than once.
func triedOften(tried []keeper.Refusal) string {
	var often []string
	for _, r := range tried {
		if r.Times > 1 {
			often = append(often, strings.TrimSpace(fmt.Sprintf("%d × %s %s", r.Times, r.Kind, r.Path)))
		}
	}
	if more := len(often) - mostOften; more > 0 {
		often = append(often[:mostOften], fmt.Sprintf("%d more", more))
	}
	return strings.Join(often, ", ")
}

// mostOften bounds how many refusals are told with their number.
const mostOften = 10
