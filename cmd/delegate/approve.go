package main

import (
	"context"
	"errors"
	"os"
	"slices"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/control/session"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// approveCommand is `delegate approve`: a person's answer to a plan that was stored where nobody could be asked.
func (a *app) approveCommand() *cobra.Command {
	o := startFlags{}
	c := command("approve [AGENT...]", "show the stored plan, or tasks that were added, and ask whether to start them",
		cobra.ArbitraryArgs, func(ctx context.Context, args []string) error { return a.approve(ctx, args, o) })
	o.addStart(c)
	return c
}

func (a *app) approve(ctx context.Context, agents []string, o startFlags) error {
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	if len(agents) > 0 {
		return a.approveAgents(ctx, p, who, state, agents)
	}
	if waiting := control.Added(state); !session.Unapproved(state) && len(waiting.Agents) > 0 {
		return a.askAdded(ctx, p, who, state, waiting)
	}
	if !session.Unapproved(state) {
		a.printf("The plan of %s was approved: %s.\n", state.Session.ID, text(state.Session.PlanApproved))
		return nil
	}
	if err := p.CheckPlaces(ctx); err != nil {
		return err
	}
	tip, err := p.Target(ctx, *state.Session) // agents start from where the target is now
	if err != nil {
		return err
	}
	base, err := session.Start(ctx, p, state.Session.Target, tip)
	if err != nil {
		return err
	}
	d := &draft{app: a, p: p, who: who, flags: o, branch: state.Session.Target, tip: tip, base: base,
		options: planner.PlanOptions(p), whole: control.PlanOf(state), supervision: session.Supervised}
	d.options.Context, d.options.Whole = plan.ContextOptional, true // what is stored passed the checks of its command
	if o.semi || state.Session.Supervision == session.SemiAutonomous {
		d.supervision = session.SemiAutonomous
	}
	for _, step := range []func(context.Context) error{d.analyze, d.checkFence, d.checkBase} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return d.decideStored(ctx, state)
}

// approveAgents asks about those agents alone. Those of a plan have no approval of their own.
func (a *app) approveAgents(ctx context.Context, p *project.Project, who control.Control, state registry.State,
	words []string,
) error {
	if session.Unapproved(state) {
		return &usageError{errors.New("the plan of the session waits for your yes as a whole: name no agent"),
			"delegate approve"}
	}
	waiting := control.Added(state)
	var ids []string
	for _, word := range words {
		ag, err := state.Find(word)
		if err != nil {
			return err
		}
		if _, err := waiting.Agent(ag.ID); err != nil {
			a.printf("%s does not wait for a yes.\n", ag.Name)
			continue
		}
		ids = append(ids, ag.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	waiting.Agents = slices.DeleteFunc(waiting.Agents, func(ag registry.Agent) bool {
		return !slices.Contains(ids, ag.ID)
	})
	return a.askAdded(ctx, p, who, state, waiting)
}

// decideStored asks about a stored plan and carries the answer out.
func (d *draft) decideStored(ctx context.Context, state registry.State) error {
	answer, err := d.ask(ctx)
	if err != nil {
		return err
	}
	switch answer {
	case "yes":
		if err := control.Approve(ctx, d.p, state,
			control.Approval{Who: d.who.Who, Remark: d.remark, Sandbox: d.sandbox,
				Supervision: d.supervision}); err != nil {
			return err
		}
		return d.started(ctx, d.p)
	case "cancel":
		if err := d.who.Withdraw(ctx, state, "plan cancelled"); err != nil {
			return err
		}
		d.printf("Cancelled; nothing was made.\n")
		return nil
	}
	return d.modifyStored(ctx, state)
}

// modifyStored writes the stored plan to a file, which the person edits and starts from.
func (d *draft) modifyStored(ctx context.Context, state registry.State) error {
	var err error
	if d.file, err = newPlanFile(d.p); err != nil {
		return err
	}
	if err := d.write(d.whole.Format()); err != nil {
		return err
	}
	if err := d.who.Withdraw(ctx, state, "plan withdrawn to be modified"); err != nil {
		return errors.Join(err, os.Remove(d.file)) // nobody has edited it
	}
	d.who.Session = "" // it has ended
	defer d.sayKept()
	if err = d.edit(ctx); err != nil {
		return err
	}
	return d.decide(ctx)
}
