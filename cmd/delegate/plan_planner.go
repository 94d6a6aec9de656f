package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"delegate/internal/control/planner"
	"delegate/internal/plan"
)

// plannerFault is a planner's error with what starts from the file in which its answer is kept.
type plannerFault struct {
	*planner.PlannerError
	start string // what starts from its answer, "" if there was none
}

func (e *plannerFault) Unwrap() error { return e.PlannerError }

// next is what to type.
func (e *plannerFault) next() string {
	if e.start == "" {
		return "see what it printed in " + e.Output + ", or let the repository suggest a plan: --planner none"
	}
	return fmt.Sprintf("fix its plan by hand and start from it: %s; or let the repository suggest one: --planner none",
		e.start)
}

// askPlanner has an agent program write the plan. What it wrote is text, for the same checks and
// the same question as any plan. Ctrl-C and a closed terminal end it, with every process of it.
func (d *draft) askPlanner(ctx context.Context, task plan.Task, facts plan.Facts) ([]byte, error) {
	limit := ""
	if span := d.p.Config.PlannerTimeout; !span.Off() {
		limit = ", at most " + span.String()
	}
	fmt.Fprintf(d.err, "Asking %s for a plan%s; Ctrl-C ends it …\n", text(d.planner()), limit)
	done := func() {}
	say := func(line string) {
		done()
		fmt.Fprintf(d.err, "  %s\n", text(line))
		done = d.elapsing(ctx, "Planning")
	}
	defer func() { done() }()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	planned, err := planner.AskPlanner(ctx, d.p, planner.PlannerRequest{Profile: d.planner(), Task: task,
		Facts: facts, Options: d.options, Base: d.base, Sandbox: d.sandbox, Say: say})
	refused := planned.Refused
	if fault, is := errors.AsType[*planner.PlannerError](err); is {
		refused = fault.Refused
		err = d.keepFaulty(fault)
	}
	for _, line := range refused {
		d.note("the planner was refused: %s", text(line))
	}
	return planned.Text, err
}

// keepFaulty puts an answer that cannot be used where the person can mend it.
func (d *draft) keepFaulty(fault *planner.PlannerError) error {
	if fault.Answer == nil {
		return &plannerFault{PlannerError: fault}
	}
	if err := d.write(fault.Answer); err != nil {
		return errors.Join(fault, err)
	}
	return &plannerFault{fault, d.startFrom()}
}
