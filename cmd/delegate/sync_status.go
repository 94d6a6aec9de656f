package main

import (
	"context"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/land/analyze"
	"delegate/internal/land/compare"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) syncStatusCommand() *cobra.Command {
	return a.jsonFlag(command("status", "report on the session, ask nothing", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			return a.syncStatus(ctx)
		}))
}

// syncView is the report of `sync --status`.
type syncView struct {
	statusView
	Ready     []string           `json:"ready"`
	InReview  []string           `json:"in_review"`
	Running   []string           `json:"running"`
	Person    []string           `json:"waiting_for_person"`
	Collected []string           `json:"uncollected"`
	Findings  []conflict.Finding `json:"findings"`
	Files     int                `json:"total_files_changed"`
}

func (a *app) syncStatus(ctx context.Context) error {
	p, state, err := a.active(ctx)
	if err != nil {
		return err
	}
	c := compare.New(p)
	defer c.Close()
	return a.reportSync(ctx, p, state, c)
}

func (a *app) reportSync(ctx context.Context, p *project.Project, state registry.State, c *compare.Comparer) error {
	state = a.peekRequests(ctx, p, state)
	v, err := syncOf(ctx, p, state, c)
	if err == nil && a.json {
		return a.printJSON(v)
	}
	if !a.json {
		a.printStatus(ctx, p, state)
	}
	if err == nil {
		a.printSync(v)
	}
	return err
}

func syncOf(ctx context.Context, p *project.Project, state registry.State, c *compare.Comparer) (syncView, error) {
	v := syncView{statusView: statusOf(ctx, p, state), Ready: []string{}, InReview: []string{}, Running: []string{},
		Person: []string{}, Collected: []string{}}
	tips, unread, err := c.ReportTips(ctx, state)
	if err != nil {
		return v, err
	}
	if v.Findings, err = c.Compare(ctx, tips, analyze.Checked); err != nil {
		return v, err
	}
	adapted, err := c.Adapted(ctx, state, tips)
	if err != nil {
		return v, err
	}
	v.Findings = conflict.Sorted(slices.Concat(v.Findings, adapted, unread))
	holding := append(status.Holding(p, state), status.BlockedOnTarget(v.Findings)...)
	for _, f := range unread {
		holding = append(holding, status.Point{Kind: status.ConflictPoint, Agent: f.Agents[0], Blocks: true})
	}
	for _, ag := range v.Agents {
		v.Files += ag.FilesChanged
		switch ag.Status {
		case registry.Complete:
			switch own, err := state.Agent(ag.ID); {
			case err == nil && own.InReview():
				v.InReview = append(v.InReview, ag.ID)
			case err == nil && status.IsReady(own, holding):
				v.Ready = append(v.Ready, ag.ID)
			case err == nil && !own.HasNoChanges():
				v.Person = append(v.Person, ag.ID)
			}
		case registry.Running, registry.Spawning:
			v.Running = append(v.Running, ag.ID)
		case registry.Checkpoint:
			v.Person = append(v.Person, ag.ID)
		case registry.Failed:
			v.Person = append(v.Person, ag.ID)
		}
		setAside := ag.BestOf != "" && ag.Status == registry.Aborted
		if !ag.Collected && ag.Status != registry.Running && ag.Status != registry.Spawning && !setAside {
			v.Collected = append(v.Collected, ag.ID)
		}
	}
	return v, nil
}

func (a *app) printSync(v syncView) {
	a.printf("\n%s, %s changed.", ui.Plural(len(v.Agents), "agent"), ui.Plural(v.Files, "file"))
	for _, group := range []struct {
		what string
		ids  []string
	}{{"Ready to merge", v.Ready}, {"In review", v.InReview}, {"Working", v.Running}, {"Waiting for you", v.Person}} {
		if len(group.ids) > 0 {
			a.printf(" %s: %s.", group.what, names(a.state.NamesOf(group.ids)))
		}
	}
	a.printf("\n")
	a.printFindings(named(a.state, v.Findings))
}

// printNextLanding tells after the last question how the session continues: also what became ready
// while others were asked about.
func (a *app) printNextLanding(ctx context.Context, p *project.Project, asked []string) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	var ready, uncompared, running, starting []string
	holding := status.Holding(p, state)
	for _, ag := range state.Agents {
		switch _, held := status.HeldBy(ag, holding); {
		case slices.Contains(asked, ag.ID) && ag.Status == registry.Complete:
		case held:
			point, _ := status.AgentPoint(p, state, ag, holding)
			a.printf("\n")
			a.printPoint(ag.Name+" "+a.named(point.Text), point.Next)
		case status.IsReady(ag, holding):
			ready = append(ready, ag.Name)
			if status.NotCompared(p, state, ag) {
				uncompared = append(uncompared, ag.Name)
			}
		case ag.Status == registry.Running || ag.Status == registry.Spawning:
			running = append(running, ag.Name)
		case session.MayStart(state, ag) && session.HasRoom(p.Config, state, ag): // what it waited for has just landed
			starting = append(starting, ag.Name)
		}
		if stuck := status.CannotStart(state, ag); stuck != "" {
			a.printf("\n%s %s\n", ag.Name, stuck)
		}
	}
	if allEnded(state) {
		a.printf("\n%s\n", everyoneEnded)
		return nil
	}
	var parts []string
	if len(running) > 0 {
		parts = append(parts, "Working: "+strings.Join(running, ", ")+".")
	}
	if len(starting) > 0 {
		parts = append(parts, "Starting now: "+strings.Join(starting, ", ")+".")
	}
	switch {
	case len(ready) > 0:
		parts = append(parts, "Also ready to merge: "+strings.Join(ready, ", ")+". Next: delegate sync")
		if len(uncompared) > 0 {
			parts = append(parts, "("+status.Comparing(p)+": "+strings.Join(uncompared, ", ")+")")
		}
	case len(parts) > 0:
		parts = append(parts, "To wait for the next one: delegate sync wait")
	default:
		return nil
	}
	a.printf("\n%s\n", strings.Join(parts, " "))
	return nil
}
