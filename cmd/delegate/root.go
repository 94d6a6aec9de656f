package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"delegate/internal/config"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/session"

	"github.com/spf13/cobra"
)

const about = `delegate gives the subtasks of a plan to agent programs, each in its own git worktree, watches them,
and lands their work on your branch after your yes.

  delegate "what to do"       make a plan of a task, show it, ask, start the agents in the background
  delegate -f plan.md         the same with a plan that is there already
  delegate status             what they are doing; delegate watch shows it on the whole screen
  delegate wait               until each has ended or needs you
  delegate sync               review, answer, land
  delegate sync complete      close the session

Agents persist: one that finished or failed can still be sent a message and goes on. Messages queue until the next turn.
A wait that times out is no failure; do not give up an agent that is working. Collect every result.`

// root builds the whole command tree.
func (a *app) root() *cobra.Command {
	o := startOptions{}
	c := command("delegate [-f PLAN.md | \"TASK\"]",
		"delegate work to agents in worktrees, and merge it under supervision", cobra.ArbitraryArgs,
		func(cmd *cobra.Command, args []string) error { return a.start(cmd, args, o) })
	c.Long = about
	c.Version = version
	c.Flags().StringVarP(&o.file, "file", "f", "", "plan file to start from")
	c.Flags().BoolVar(&o.noContext, "no-context", false, "accept subtasks without a Context field")
	o.forTask(c, "one in the private folder")
	o.atStart(c)
	c.AddCommand(a.plan(), a.approve(), a.status(), a.list(), a.show(), a.logs(), a.attach(), a.diff(), a.wait(),
		a.watch(), a.review(), a.notes(), a.learnings(), a.tasks())
	c.AddCommand(a.continueAgent(), a.adapt(), a.message(), a.interrupt(), a.closeAgent(), a.retry(), a.extend(),
		a.forceComplete(), a.abort(), a.reassign(), a.scope(), a.resume())
	c.AddCommand(a.sync(), a.conflicts(), a.writePage(), a.registry(), a.begin(), a.doctor(), a.sandbox(), a.mcp(),
		a.demo(), a.man())
	a.completions(c)
	return c
}

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
func (d *draft) startFile(ctx context.Context, o startOptions, who session.Control) error {
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

// unknownWord is the error for a word that is no command, and looks like no task.
func unknownWord(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	near := ""
	if names := cmd.SuggestionsFor(word); len(names) > 0 {
		near = fmt.Sprintf("; did you mean %q?", names[0])
	}
	return &usageError{fmt.Errorf("unknown command %q%s (a task is given in one pair of quotes: delegate \"what to "+
		"do\"; one of a single word to: delegate plan %q)", word, near, word), "delegate"}
}

// sessionDefault says whether the configuration wants sessions that go on by themselves.
func sessionDefault(p *project.Project) bool { return p.Config.Supervision == config.SemiAutonomous }

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
	return session.CheckPrograms(p, whole)
}
