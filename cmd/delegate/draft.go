package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/supervise"
	"delegate/internal/text/ui"
	"delegate/internal/turn/turnsetup"
	"delegate/internal/view/status"
	"delegate/internal/view/watch"
	"delegate/registry"
)

// draft is a plan on its way to a person's answer.
type draft struct {
	*app
	p           *project.Project
	who         control.Control
	flags       startFlags
	file        string
	found       []byte // what lies there and the person said may go, nil for nothing
	branch, tip string // that the work is merged into
	base        string // commit that agents start from
	options     plan.Options
	whole       *plan.Plan
	analysis    plan.Analysis
	remark      string     // recorded with the approval
	broken      *baseError // of a plan that is only shown: the base does not pass
	untested    bool       // nothing was detected that tests the base
	sandbox     string     // "": the kernel holds agents in; else who starts them without that
	supervision string     // session.Supervised or session.SemiAutonomous
	hasSession  bool       // a session came of it
}

// checkFence makes sure that agents can be held in their scope, or that a person chose otherwise.
func (d *draft) checkFence(context.Context) error {
	switch {
	case d.flags.unfenced:
		d.sandbox = "off, by " + d.who.Who + " with --unfenced"
	case d.p.Config.Sandbox.Level == config.SandboxOff:
		d.sandbox = "off in " + config.FileName
	default:
		return turnsetup.CheckFence(d.p)
	}
	return nil
}

// planFileError says why a plan's file cannot be read.
type planFileError struct{ err error }

func (e *planFileError) Error() string { return "read plan: " + e.err.Error() }

func (e *planFileError) Unwrap() error { return e.err }

// load reads and checks the plan file: all its faults at once, then what it needs.
func (d *draft) load(ctx context.Context) error {
	data, err := os.ReadFile(d.file)
	if err != nil {
		return &planFileError{err}
	}
	if d.whole, err = plan.Parse(data, d.options); err != nil {
		return err
	}
	return d.analyze(ctx)
}

// analyze looks for the programs that the plan names, and at what its subtasks mean on the base.
func (d *draft) analyze(ctx context.Context) (err error) {
	if err := planner.CheckPrograms(d.p, d.whole); err != nil {
		return err
	}
	d.analysis, err = planner.Analyze(ctx, d.p, d.whole, d.base)
	return err
}

// checkBase verifies the commit that agents start from, unless a person skips it, which is recorded.
func (d *draft) checkBase(ctx context.Context) error {
	if !d.p.Verifies() {
		return nil
	}
	if d.flags.skipBase {
		d.remark = "check of the base skipped by the person at the terminal"
		return nil
	}
	fmt.Fprintf(d.err, "Checking the base %.12s …\n", d.base)
	outcome, err := d.p.Verify(ctx, d.base)
	if err != nil {
		return err
	}
	d.untested = outcome.Result == project.NoCommands
	if outcome.Result == project.Fail {
		fmt.Fprintln(d.err, ui.Clean(project.Tail(outcome.Output, 15)))
		return newBaseError(ctx, d.p, d.base, outcome)
	}
	return nil
}

// baseError says that the commit that agents would start from does not pass the verify commands.
type baseError struct {
	base, command, reason string
	submodule             string // the first of the base, "" for none
	tried                 bool   // nothing was going to start
}

func newBaseError(ctx context.Context, p *project.Project, base string, failed project.Outcome) *baseError {
	e := &baseError{base: base, command: failed.Command, reason: failed.Reason}
	const link = 0o160000
	entries, _ := p.Repo.Entries(ctx, base) // without them the hint says less
	if i := slices.IndexFunc(entries, func(f git.Entry) bool { return f.Mode == link }); i >= 0 {
		e.submodule = entries[i].Path
	}
	return e
}

func (e *baseError) Error() string {
	if e.tried {
		return fmt.Sprintf("the last commit %.12s does not pass %q (%s); fix it, or verify in %s", e.base, e.command,
			e.reason, config.FileName)
	}
	return fmt.Sprintf("the base %.12s does not pass %q (%s); fix it, or verify in %s, or start anyway with "+
		"--skip-base-check", e.base, e.command, e.reason, config.FileName)
}

// storedError says that a plan or a task waits for a person at a terminal.
type storedError struct {
	what string
	why  error // for which nobody was asked
}

func (e *storedError) Error() string {
	if under, is := errors.AsType[*underAgentError](e.why); is {
		return "the " + e.what + " is stored; " + under.ancestor() + ", so nobody was asked"
	}
	return "the " + e.what + " is stored; this is no terminal, so nobody was asked"
}

func (e *storedError) Unwrap() error { return e.why }

// decide shows the plan and asks until there is an answer. Without a terminal the plan is stored for one.
func (d *draft) decide(ctx context.Context) error {
	if !d.term.Interactive() {
		d.print(ctx)
		if open := d.whole.Unfilled(); len(open) > 0 {
			return &unfilledError{open}
		}
		if err := d.begin(ctx, ""); err != nil {
			return err
		}
		d.printf("\n%s", pendingHint)
		return &storedError{"plan", d.term.Person()}
	}
	for {
		answer, err := d.ask(ctx)
		if err != nil {
			return err
		}
		switch answer {
		case "yes":
			if err := d.begin(ctx, d.who.Who); err != nil {
				return err
			}
			return d.started(ctx, d.p)
		case "cancel":
			d.printf("Cancelled; nothing was made.\n")
			return nil
		case "modify":
			if err := d.edit(ctx); err != nil {
				return err
			}
		}
	}
}

// unfilledError says that a plan has subtasks whose files nobody has named yet.
type unfilledError struct{ subtasks []int }

func (e *unfilledError) Error() string {
	return fmt.Sprintf("nothing in the repository was found for %s: write into Allowed of the plan which files each "+
		"may change, and what it has to know in place of FILL IN", subtasks(e.subtasks))
}

func subtasks(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	if len(words) == 1 {
		return "subtask " + words[0]
	}
	return "subtasks " + strings.Join(words, ", ")
}

// askToFill shows a plan that cannot start as it is, and asks.
func (d *draft) askToFill(ctx context.Context, open []int) (string, error) {
	d.print(ctx)
	why := (&unfilledError{open}).Error()
	d.linef(d.term.Yellow, "%s%s.", strings.ToUpper(why[:1]), why[1:])
	return d.term.Choose(ctx, "Edit the plan?", []ui.Answer{
		{Word: "modify", Help: "edit the plan, then see it again"},
		{Word: "cancel", Help: "make nothing"},
	}, "cancel")
}

// ask shows the plan and asks. A yes is for the base that was shown.
func (d *draft) ask(ctx context.Context) (string, error) {
	for {
		if open := d.whole.Unfilled(); len(open) > 0 {
			return d.askToFill(ctx, open)
		}
		d.print(ctx)
		answer, err := d.term.Choose(ctx, "Start these agents?", []ui.Answer{
			{Word: "yes", Help: "start them in the background"},
			{Word: "modify", Help: "edit the plan, then see it again"},
			{Word: "cancel", Help: "make nothing"},
		}, "cancel")
		if err != nil || answer != "yes" {
			return answer, err
		}
		if moved, err := d.moved(ctx); !moved || err != nil {
			return answer, err
		}
	}
}

// moved brings the plan to where its branch is now, if that is another commit than the one the answer was given for.
func (d *draft) moved(ctx context.Context) (bool, error) {
	tip, err := d.p.Target(ctx, registry.Session{Target: d.branch, Base: d.tip})
	if isA[*project.TargetGoneError](err) && d.file != "" { // no session has it yet
		return true, &branchError{d.branch}
	}
	if err != nil || tip == d.tip {
		return false, err
	}
	d.linef(d.term.Yellow, "Your answer is void: %s moved from %.12s to %.12s meanwhile. This is the plan on it:",
		text(d.branch), d.tip, tip)
	d.tip = tip
	if d.base, err = session.Start(ctx, d.p, d.branch, tip); err != nil {
		return true, err
	}
	if d.analysis, err = planner.Analyze(ctx, d.p, d.whole, d.base); err != nil {
		return true, err
	}
	return true, d.checkBase(ctx)
}

// branchError says that the branch of a plan was deleted or renamed while it was shown.
type branchError struct{ branch string }

func (e *branchError) Error() string {
	return fmt.Sprintf("the branch %q was deleted meanwhile, and nothing was started", e.branch)
}

// edit opens the plan in the person's editor until it has no fault.
func (d *draft) edit(ctx context.Context) error {
	for {
		if err := d.app.edit(ctx, d.p.Repo, d.file); err != nil {
			return err
		}
		err := d.load(ctx)
		if err == nil {
			return nil
		}
		d.report(err)
		answer, err := d.term.Choose(ctx, "The plan has faults. Edit it again?",
			[]ui.Answer{{Word: "yes"}, {Word: "cancel", Help: "make nothing"}}, "cancel")
		if err != nil {
			return err
		}
		if answer == "cancel" {
			return fmt.Errorf("plan %q was left with faults; nothing was made", d.file)
		}
	}
}

// begin makes the session, approved by the one who is named, else PENDING.
func (d *draft) begin(ctx context.Context, approved string) error {
	_, err := control.Start(ctx, d.p, control.StartRequest{Plan: d.whole, Target: d.branch, Base: d.tip,
		Approved: approved, Note: d.remark, Sandbox: d.sandbox, Supervision: d.supervision,
		On: d.flags.on})
	d.hasSession = err == nil
	return err
}

// started launches the supervisor and returns once the first agents are RUNNING or FAILED, with a report of both.
func (a *app) started(ctx context.Context, p *project.Project) error {
	if _, err := supervise.Launch(ctx, p); err != nil {
		return err
	}
	state, err := supervise.AwaitStart(ctx, p)
	if err != nil {
		return err
	}
	s := state.Session
	a.state = state
	a.printf("\nStarted %s on branch %s.\n\n", s.ID, s.Target)
	failed := false
	for _, ag := range state.Agents {
		// one that ran and failed since is for wait to tell
		failed = failed || ag.Status == registry.Failed && ag.Turns == 0
		a.printf("%s  %s  %s  %s\n", a.term.Bold(ag.Name), ag.ID, watch.State(a.term.Style, ag.Status, ag.Word()),
			text(ag.Subtask))
		a.printWrapped("         may write  ", text(scopeWords(ag.Allowed)), len("         may write  "))
		switch {
		case ag.Status == registry.Failed:
			a.printf("         failed     %s\n         next       %s\n", a.named(ag.LastError), status.Next(p, ag, nil))
		case ag.Status != registry.Pending:
			a.printf("         worktree   %s\n         output     %s\n", ag.Worktree,
				p.TurnDir(s.ID, ag.ID, max(1, ag.Turns))+"/output")
		case len(ag.Dependencies) > 0:
			a.printf("         waits for  %s\n", names(state.NamesOf(ag.Dependencies)))
		}
	}
	a.printf("\nThe agents work in the background; this terminal is free. Next:\n")
	a.printf("  delegate status         see what they are doing\n"+
		"  delegate watch          the same on the whole screen, with keys\n"+
		"  delegate wait           wait until each has ended or needs you\n"+
		"  delegate sync           review and merge\n"+
		"  delegate logs -f %s\n", state.Agents[0].Name)
	a.sayRecord(ctx, p, state)
	if failed {
		return errAgentFailed
	}
	return nil
}

// sayRecord says at a repository's first start what the new files in it are.
func (a *app) sayRecord(ctx context.Context, p *project.Project, state registry.State) {
	if p.Config.Record == config.RecordPrivate || len(state.Ended()) > 0 {
		return
	}
	if kept, err := p.Tracked(project.RegistryPath).InHead(ctx); err == nil && kept == nil {
		a.printf("\n")
		a.printWrapped("", "New here: docs/logs, the record of sessions as Markdown. Commit it like any file, or keep "+
			"it out of the tree with  record: private  in "+config.FileName+".", 0)
	}
}
