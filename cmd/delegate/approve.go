package main

import (
	"context"
	"errors"
	"os"

	"delegate/internal/control"
	"delegate/internal/plan"
	"delegate/internal/planner"
	"delegate/internal/session"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// approveCommand is `delegate approve`: a person's answer to a plan that was stored where nobody could be asked.
func (a *app) approveCommand() *cobra.Command {
	o := startOptions{}
	c := command("approve", "show the stored plan and ask whether to start it", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			p, who, err := a.control(ctx)
			if err != nil {
				return err
			}
			state, err := p.Active(ctx)
			if err != nil {
				return err
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
			d := &draft{app: a, p: p, branch: state.Session.Target, base: tip, skipBase: o.skipBase,
				options: planner.PlanOptions(p), whole: control.PlanOf(state)}
			d.options.Context = plan.ContextOptional
			d.supervision = o.supervision(state.Session.Supervision == session.SemiAutonomous)
			if err := checkPrograms(p, d.whole); err != nil {
				return err
			}
			if d.analysis, err = planner.Analyze(ctx, p, d.whole, planner.Ground{Base: d.base}); err != nil {
				return err
			}
			if err := d.checkFence(ctx, o, who.Who); err != nil {
				return err
			}
			if err := d.checkBase(ctx); err != nil {
				return err
			}
			return a.decideStored(ctx, d, state, who)
		})
	o.atStart(c)
	return c
}

func (a *app) decideStored(ctx context.Context, d *draft, state registry.State, who control.Control) error {
	answer, err := d.ask(ctx)
	if err != nil {
		return err
	}
	switch answer {
	case "yes":
		if err := control.Approve(ctx, d.p, state,
			control.Approval{Who: who.Who, Remark: d.remark, Sandbox: d.sandbox, Supervision: d.supervision}); err != nil {
			return err
		}
		return a.started(ctx, d.p)
	case "cancel":
		if err := who.Withdraw(ctx, state, "plan cancelled"); err != nil {
			return err
		}
		a.printf("Cancelled; nothing was made.\n")
		return nil
	}
	return a.modifyStored(ctx, d, state, who)
}

// modifyStored writes the stored plan to a file, which the person edits and starts from.
func (a *app) modifyStored(ctx context.Context, d *draft, state registry.State, who control.Control) error {
	var err error
	if d.file, err = newPlanFile(d.p); err != nil {
		return err
	}
	if err := d.write(d.whole.Format()); err != nil {
		return err
	}
	if err := who.Withdraw(ctx, state, "plan taken back to be modified"); err != nil {
		return errors.Join(err, os.Remove(d.file)) // nobody has edited it
	}
	if err = d.edit(ctx); err == nil {
		err = d.decide(ctx, who)
	}
	return errors.Join(err, d.tellKept())
}
