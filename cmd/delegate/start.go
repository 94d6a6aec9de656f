package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"delegate/internal/control"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/planner"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type startOptions struct {
	file      string
	out       string // where the plan of a task is written
	planner   string // profile that is asked for it
	noContext bool
	skipBase  bool
	unfenced  bool
	semi      bool
}

// supervision is the session's, as the person chose it on the command line or before.
func (o startOptions) supervision(before bool) string {
	if o.semi || before {
		return session.SemiAutonomous
	}
	return session.Supervised
}

// atStart adds the flags of both commands that start agents.
func (o *startOptions) atStart(c *cobra.Command) {
	c.Flags().BoolVar(&o.skipBase, "skip-base-check", false,
		"start although the verify commands fail on the base, or without running them (recorded)")
	c.Flags().BoolVar(&o.semi, "semi-autonomous", false, "checkpoints that ask for nobody pass, clean and tested "+
		"work gathers on an integration branch; landing stays yours")
	c.Flags().BoolVar(&o.unfenced, "unfenced", false,
		"start the agents with all your rights, held in by nothing of the kernel (recorded)")
}

// forTask adds the flags of both commands that make a plan of a task, and says where the plan goes without them.
func (o *startOptions) forTask(c *cobra.Command, where string) {
	c.Flags().StringVarP(&o.out, "output", "o", "", "file that the plan of a task is written to, in place of "+where)
	c.Flags().StringVar(&o.planner, "planner", "",
		"profile of an agent program that is asked for the plan, read-only; none is nobody")
}

// start is `delegate -f plan.md`, `delegate "TASK"`, and bare `delegate`.
func (a *app) start(cmd *cobra.Command, args []string, o startOptions) error {
	ctx := cmd.Context()
	if len(args) > 1 || len(args) == 1 && args[0] != "" && !strings.ContainsFunc(args[0], unicode.IsSpace) {
		return unknownWord(cmd, args[0])
	}
	if o.file != "" && (len(args) > 0 || o.out != "" || o.planner != "") {
		return &usageError{fmt.Errorf("with -f the plan is there already: give neither a task nor -o nor --planner"),
			"delegate"}
	}
	d, who, err := a.newDraft(ctx, o)
	if d != nil {
		if active := a.refuseActive(ctx, d.p); active != nil {
			return active
		}
	}
	if err != nil {
		return err
	}
	if o.file == "" {
		err = a.startTask(ctx, d, order{words: args, options: o, who: who})
	} else {
		err = d.startFile(ctx, o, who)
	}
	return errors.Join(err, a.leaveNothing(ctx, d.p))
}

// startFile takes a plan file to a person's answer.
func (d *draft) startFile(ctx context.Context, o startOptions, who control.Control) error {
	if err := d.load(ctx); err != nil {
		return err
	}
	if err := d.checkFence(ctx, o, who.Who); err != nil {
		return err
	}
	if err := d.checkBase(ctx); err != nil {
		return err
	}
	return d.decide(ctx, who)
}

// startTask is `delegate "TASK"` and bare `delegate`: a plan is made and kept, and then goes the
// way of every plan file.
func (a *app) startTask(ctx context.Context, d *draft, o order) error {
	task, err := o.task(d.p)
	if err != nil {
		return err
	}
	if err := d.checkFence(ctx, o.options, o.who.Who); err != nil {
		return err
	}
	if err := d.place(ctx, o.options.out); err != nil {
		return err
	}
	planner := o.planner(d.p)
	// before a planner costs anything, and before the person reads a plan that cannot start
	if planner != "" || d.app.term.Interactive() {
		if err := d.checkBase(ctx); err != nil {
			return err
		}
	}
	if err := d.make(ctx, task, planner); err != nil {
		return err
	}
	err = d.answerTask(ctx, o, planner)
	return errors.Join(err, d.tellKept())
}

// answerTask brings a plan that was just made before the person. One that nobody has read, neither
// a planner nor a person, is not stored for approval.
func (d *draft) answerTask(ctx context.Context, o order, planner string) error {
	switch {
	case planner != "":
		if err := d.load(ctx); err != nil {
			return err
		}
	case !d.app.term.Interactive():
		d.app.printf("A first plan was drafted, and nothing was started: read it and correct it, since nobody has.\n")
		return errUnapproved
	default:
		d.app.printf("A first plan is drafted and opens in your editor: correct its scopes, and say what the agents " +
			"must know.\n")
		if err := d.edit(ctx); err != nil {
			return err
		}
	}
	return d.decide(ctx, o.who)
}

// tellKept says where the plan is if no session came of it, so that what the person edited is not lost.
func (d *draft) tellKept() error {
	if d.begun {
		return nil
	}
	if _, err := os.Lstat(d.file); errors.Is(err, fs.ErrNotExist) {
		return nil // the person took it away
	}
	fmt.Fprintf(d.app.err, "The plan is kept. Start from it with: delegate -f %s\n", typed(d.file))
	return nil
}

// newDraft opens the repository for a plan that is about to be made or read.
func (a *app) newDraft(ctx context.Context, o startOptions) (*draft, control.Control, error) {
	p, who, err := a.control(ctx)
	if err != nil {
		return nil, who, err
	}
	if _, err := git.Program(ctx); err != nil {
		return nil, who, err
	}
	if err := p.CheckPlaces(ctx); err != nil {
		return nil, who, err
	}
	d := &draft{app: a, p: p, file: o.file, skipBase: o.skipBase, options: planner.PlanOptions(p)}
	if o.noContext {
		d.options.Context = plan.ContextOptional
	}
	d.supervision = o.supervision(sessionDefault(p))
	d.branch, d.base, err = p.Repo.Head(ctx)
	return d, who, err
}

// refuseActive shows the session that is active, if one is, with an error.
func (a *app) refuseActive(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	a.printStatus(ctx, p, state)
	return &registry.ActiveSessionError{ID: state.Session.ID, Status: state.Session.Status}
}

// leaveNothing takes the scratch checkout away again if no session came of a start.
func (a *app) leaveNothing(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session != nil {
		return err
	}
	return p.DropScratch(ctx)
}

// pendingHint is printed where nobody can be asked.
const pendingHint = "The plan is checked and stored as PENDING; nothing runs yet.\nA person approves it at a " +
	"terminal with: delegate approve\n"

// readPlan reads and checks a plan file.
func readPlan(path string, o plan.Options) (*plan.Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return plan.Parse(data, o)
}

// checkPrograms is here so that both ways to start a plan ask the same.
func checkPrograms(p *project.Project, whole *plan.Plan) error {
	return planner.CheckPrograms(p, whole)
}
