package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"delegate/internal/control/planner"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// startFlags are the flags of the commands that make plans and start agents.
type startFlags struct {
	file      string
	out       string // where the plan of a task is written
	planner   string // profile that is asked for it
	noContext bool
	skipBase  bool
	unfenced  bool
	semi      bool
	on        string // engine for subtasks that name none
	onto      string // branch that the work is merged into; "" is the one that is checked out
}

// addStart adds the flags of both commands that start agents.
func (o *startFlags) addStart(c *cobra.Command) {
	c.Flags().BoolVar(&o.skipBase, "skip-base-check", false,
		"start even if the verify commands fail on the base, or without running them (recorded)")
	c.Flags().StringVar(&o.on, "on", "", "engine that the agents' turns run on, if the plan names none; here: none")
	c.Flags().BoolVar(&o.semi, "semi-autonomous", false, "approve progress reports automatically, and merge "+
		"tested work into an integration branch; your branch still needs your approval")
	c.Flags().BoolVar(&o.unfenced, "unfenced", false,
		"start the agents without a sandbox, with all your rights (recorded)")
}

// addOnto adds the flag of the commands that start a session.
func (o *startFlags) addOnto(c *cobra.Command) {
	c.Flags().StringVar(&o.onto, "onto", "", "branch that the work is merged into, in place of the one that is "+
		"checked out")
}

// addTask adds the flags of both commands that make a plan of a task, and says where the plan goes without them.
func (o *startFlags) addTask(c *cobra.Command, where string) {
	c.Flags().StringVarP(&o.out, "output", "o", "", "file that the plan of a task is written to, in place of "+where)
	c.Flags().StringVar(&o.planner, "planner", "",
		"profile of the agent program that writes the plan, read-only; none: no program")
}

// start is `delegate -f plan.md`, `delegate "TASK"`, and bare `delegate`.
func (a *app) start(ctx context.Context, args []string, o startFlags) error {
	if o.file != "" && (len(args) > 0 || o.out != "" || o.planner != "") {
		return &usageError{fmt.Errorf("with -f the plan is there already: give neither a task nor -o nor --planner"),
			"delegate"}
	}
	d, err := a.newDraft(ctx, o)
	if d != nil {
		if active := a.refuseActive(ctx, d.p); active != nil {
			if isA[*registry.ActiveSessionError](active) && len(args) == 1 && a.term.Interactive() {
				return a.add(ctx, args, addFlags{startFlags: o})
			}
			return active
		}
	}
	if err != nil {
		return err
	}
	if o.file == "" {
		err = d.startTask(ctx, args)
	} else {
		err = d.startFile(ctx)
	}
	return errors.Join(err, d.dropScratch(ctx))
}

// startFile takes a plan file to a person's answer.
func (d *draft) startFile(ctx context.Context) error {
	for _, step := range []func(context.Context) error{d.load, d.checkFence, d.checkBase, d.decide} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startTask is `delegate "TASK"` and bare `delegate`: a plan is made and kept, and then goes the
// way of every plan file.
func (d *draft) startTask(ctx context.Context, words []string) error {
	task, err := d.taskToPlan(words)
	if err != nil {
		return err
	}
	if err := d.checkFence(ctx); err != nil {
		return err
	}
	if err := d.place(ctx, d.flags.out); err != nil {
		return err
	}
	// before a planner costs anything, and before the person reads a plan that cannot start
	if d.planner() != "" || d.term.Interactive() {
		if err := d.checkBase(ctx); err != nil {
			return err
		}
	}
	if err := d.make(ctx, task); err != nil {
		return err
	}
	defer d.sayKept()
	return d.answerTask(ctx)
}

// answerTask brings a plan that was just made before the person. One that nobody has read, neither
// a planner nor a person, is not stored for approval.
func (d *draft) answerTask(ctx context.Context) error {
	read := d.load
	switch {
	case d.planner() != "":
	case !d.term.Interactive():
		d.printf("A first plan was drafted; nothing was started. Read and correct it first.\n")
		return errUnapproved
	default:
		d.printf("A first plan was drafted and opens in your editor: correct its scopes, and add what the agents " +
			"must know.\n")
		read = d.edit
	}
	if err := read(ctx); err != nil {
		return err
	}
	return d.decide(ctx)
}

// sayKept says where the plan is if no session came of it, so that what the person edited is not lost.
func (d *draft) sayKept() {
	if d.hasSession {
		return
	}
	if _, err := os.Lstat(d.file); errors.Is(err, fs.ErrNotExist) {
		return // the person took it away
	}
	fmt.Fprintf(d.err, "The plan is kept. Start from it with: %s\n", d.startFrom())
}

// newDraft opens the repository for a plan that is about to be made or read.
func (a *app) newDraft(ctx context.Context, o startFlags) (*draft, error) {
	p, who, err := a.control(ctx)
	if err != nil {
		return nil, err
	}
	go p.Support() // it takes a process, and checkFence waits for it
	if _, err := git.Program(ctx); err != nil {
		return nil, err
	}
	if err := p.CheckPlaces(ctx); err != nil {
		return nil, err
	}
	d := &draft{app: a, p: p, who: who, flags: o, file: o.file, options: planner.PlanOptions(p),
		supervision: session.Supervised}
	if places := p.Config.Places(); o.on != "" && !slices.Contains(places, o.on) {
		return nil, &usageError{fmt.Errorf("--on %s is no engine; name one of %s, and write it under engines in %s",
			o.on, strings.Join(places, ", "), config.FileName), "delegate"}
	}
	if o.noContext {
		d.options.Context = plan.ContextOptional
	}
	if o.semi || p.Config.Supervision == config.SemiAutonomous {
		d.supervision = session.SemiAutonomous
	}
	if d.branch = o.onto; o.onto == "" {
		d.branch, d.tip, err = p.Repo.Head(ctx)
	} else if d.tip, _, err = p.Repo.Tip(ctx, o.onto); err == nil && d.tip == "" {
		err = &noBranchError{o.onto}
	}
	if err == nil {
		d.base, err = session.Start(ctx, p, d.branch, d.tip)
	}
	return d, err
}

// noBranchError names what work is to be merged into, and is no branch.
type noBranchError struct{ name string }

func (e *noBranchError) Error() string {
	return fmt.Sprintf("there is no branch %q here to merge into", e.name)
}

// refuseActive shows the session that is active, if one is, with an error. One in which nothing waits for anybody ends
// now instead of a little later.
func (a *app) refuseActive(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	if id := state.Session.ID; session.Decided(state) && !p.Config.EndAfter.Off() {
		if err := endDecided(ctx, p); err != nil {
			return err
		}
		if state, err = p.Store.View(ctx); err != nil {
			return err
		}
		if state.Session == nil {
			a.note("session %s, in which everything is merged or aborted, has ended", id)
			return nil
		}
	}
	a.state = state
	a.printStatus(ctx, p, state)
	return &registry.ActiveSessionError{ID: state.Session.ID, Status: state.Session.Status}
}

// dropScratch takes the scratch checkout away again if no session came of a start.
func (d *draft) dropScratch(ctx context.Context) error { return dropScratch(ctx, d.p) }

// dropScratch takes the scratch checkout away again where no session will use it.
func dropScratch(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session != nil {
		return err
	}
	return p.DropScratch(ctx)
}

// pendingHint is printed where nobody can be asked.
const pendingHint = "The plan is checked and stored as PENDING; nothing runs yet.\nA person approves it at a " +
	"terminal with: delegate approve\n"
