package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// defaultPlanFile is where `delegate plan` writes.
const defaultPlanFile = "delegate-plan.md"

// plan is `delegate plan`: a plan file of a task, and what it would mean. Nothing is started, whatever comes of it.
func (a *app) plan() *cobra.Command {
	o := startOptions{}
	c := command("plan [TASK]", "write a plan for a task (or for the active one of docs/01_progress.md) and show it; "+
		"starts nothing", cobra.ArbitraryArgs,
		func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			d, who, err := a.newDraft(ctx, o)
			if err != nil {
				return err
			}
			return errors.Join(a.writePlan(ctx, d, order{words: args, options: o, who: who}), a.leaveNothing(ctx, d.p))
		})
	o.forTask(c, defaultPlanFile)
	c.Flags().BoolVar(&o.noContext, "no-context", false, "accept subtasks without a Context field")
	c.Flags().BoolVar(&o.skipBase, "skip-base-check", false, "do not run the verify commands on the base")
	c.Flags().BoolVar(&o.unfenced, "unfenced", false,
		"let the planner run with all your rights, held in by nothing of the kernel")
	return c
}

// forTask adds the flags of both commands that make a plan of a task, and says where the plan goes without them.
func (o *startOptions) forTask(c *cobra.Command, where string) {
	c.Flags().StringVarP(&o.out, "output", "o", "", "file that the plan of a task is written to, in place of "+where)
	c.Flags().StringVar(&o.planner, "planner", "",
		"profile of an agent program that is asked for the plan, read-only; none is nobody")
}

// order is a task as it was given on the command line.
type order struct {
	words   []string
	options startOptions
	who     session.Control
}

// task is the words of the command line, or else the active task of the progress file.
func (o order) task(p *project.Project) (plan.Task, error) {
	if len(o.words) == 0 {
		return session.OpenTask(p)
	}
	words := strings.TrimSpace(strings.Join(o.words, " "))
	if words == "" {
		return plan.Task{}, &session.NoTaskError{Reason: "it is empty"}
	}
	return plan.Task{Title: titleOf(words), Text: words}, nil
}

// titleOf is the first line of a task, shortened at a word.
func titleOf(words string) string {
	const most = 72
	line, _, _ := strings.Cut(words, "\n")
	line = strings.Join(strings.Fields(line), " ")
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	short := string(runes[:most])
	if at := strings.LastIndexFunc(short, unicode.IsSpace); at > 0 {
		short = short[:at]
	}
	return short + " …"
}

// planner is the profile that is asked, "" for none.
func (o order) planner(p *project.Project) string {
	name := o.options.planner
	if name == "" {
		name = p.Config.Planner
	}
	if name == "none" {
		return ""
	}
	return name
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

// writePlan is the work of `delegate plan`.
func (a *app) writePlan(ctx context.Context, d *draft, o order) error {
	task, err := o.task(d.p)
	if err != nil {
		return err
	}
	planner := o.planner(d.p)
	var bare *session.UnfencedError
	if err := d.checkFence(ctx, o.options, o.who.Who); err != nil && !(errors.As(err, &bare) && planner == "") {
		return err
	}
	out := o.options.out
	if out == "" {
		out = defaultPlanFile
	}
	if err := d.place(ctx, out); err != nil {
		return err
	}
	if err := d.make(ctx, task, planner); err != nil {
		return err
	}
	err = d.load(ctx)
	if err == nil {
		err = d.checkBase(ctx)
		if errors.As(err, &d.broken) {
			err = nil // shown with the plan
		}
	}
	if err == nil {
		d.print(ctx)
	}
	a.printf("\nWritten to %s; nothing was started. Edit it as you like, then type: delegate -f %s\n", text(d.file),
		typed(d.file))
	return err
}

// make writes the first form of the plan to its file: a planner's, or one that the repository suggests.
func (d *draft) make(ctx context.Context, task plan.Task, planner string) error {
	fmt.Fprintf(d.app.err, "Reading the repository at %.12s …\n", d.base)
	facts, err := session.Facts(ctx, d.p, d.base)
	if err != nil {
		return err
	}
	d.facts = &facts
	var data []byte
	if planner == "" {
		data = plan.Draft(task, facts, d.options).Format()
	} else if data, err = d.askPlanner(ctx,
		session.PlannerRequest{Profile: planner, Task: task, Facts: facts}); err != nil {
		return err
	}
	return d.write(data)
}

// write puts the plan where it was to go. What somebody saved there since stays, and the plan goes
// to a new file in the private folder.
func (d *draft) write(data []byte) error {
	err := atomicfile.Replacer{}.Replace(d.file, d.found, data)
	var changed *atomicfile.ChangedError
	if errors.As(err, &changed) {
		taken := d.file
		if d.file, err = newPlanFile(d.p); err != nil {
			return err
		}
		fmt.Fprintf(d.app.err, "note: %s was written by somebody else meanwhile and stays; the plan goes to %s\n",
			text(taken), text(d.file))
		err = atomicfile.Replacer{}.Replace(d.file, nil, data)
	}
	if err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}

// takenError says that a file would have been replaced where nobody could be asked.
type takenError struct{ path string }

func (e *takenError) Error() string { return fmt.Sprintf("the file %q exists already", e.path) }

// place decides where the plan is going to be written: the file that the person named, after a
// question if it is there, or a new one in the private folder.
func (d *draft) place(ctx context.Context, out string) (err error) {
	if out == "" {
		d.file, err = newPlanFile(d.p)
		return err
	}
	if d.file, err = filepath.Abs(out); err != nil {
		return fmt.Errorf("find plan file %q: %w", out, err)
	}
	switch info, err := os.Stat(d.file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at plan file %q: %w", out, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("write plan: %q is no file", out)
	case !d.app.term.Interactive():
		return &takenError{out}
	}
	if d.found, err = os.ReadFile(d.file); err != nil {
		return fmt.Errorf("look at plan file: %w", err)
	}
	if d.found == nil {
		d.found = []byte{} // empty, and there
	}
	answer, err := d.app.term.Choose(ctx, fmt.Sprintf("Replace %s?", text(out)),
		[]ui.Answer{{Word: "yes"}, {Word: "no", Help: "leave it as it is"}}, "no")
	if err == nil && answer != "yes" {
		err = errDeclined
	}
	return err
}

// newPlanFile names a new file in the private folder. None is ever taken away there: a person may have edited it.
func newPlanFile(p *project.Project) (string, error) {
	folder := filepath.Join(p.Private, "plans")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("keep plan: %w", err)
	}
	return filepath.Join(folder, "plan-"+p.Now().UTC().Format("20060102-150405.000")+".md"), nil
}

// typed is a path as a person types it: from the working folder where it is shorter, in quotes
// where a shell needs them.
func typed(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
			path = rel
		}
	}
	path = text(path)
	if strings.ContainsAny(path, " '\"$&;()*?<>|`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// newDraft opens the repository for a plan that is about to be made or read.
func (a *app) newDraft(ctx context.Context, o startOptions) (*draft, session.Control, error) {
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
	d := &draft{app: a, p: p, file: o.file, skipBase: o.skipBase, options: session.PlanOptions(p)}
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

// noTaskHint is what to type where there is no task.
const noTaskHint = `say what to do:  delegate "what to do"   or start from a plan file:  delegate -f plan.md
      or write it into docs/01_progress.md, in this form, and type:  delegate

        **Active Task**: What to do

        ## I. Active Task
        ### What to do
        - [ ] A first objective
        - [ ] A second one`

// taskHint is what to type next after an error on the way from a task to a plan and to its session.
func taskHint(err error) string {
	var (
		noTask   *session.NoTaskError
		planner  *plannerFault
		taken    *takenError
		branch   *branchError
		answered *session.AnsweredError
		other    *session.OtherSessionError
		base     *baseError
	)
	switch {
	case errors.As(err, &answered), errors.As(err, &other):
		return "delegate status"
	case errors.As(err, &branch):
		return "switch to the branch that the work shall land on (git switch BRANCH), and start again"
	case errors.As(err, &base):
		return "verify commands see only listed variables of yours: name those that are missing in verify_env"
	case errors.As(err, &noTask):
		return noTaskHint
	case errors.As(err, &planner):
		return planner.next()
	case errors.Is(err, session.ErrPlannerBusy):
		return "wait for it, or end it with Ctrl-C where it was started"
	case errors.As(err, &taken):
		return "name another one with -o FILE, or type the same command at a terminal, where it can be asked"
	}
	return ""
}
