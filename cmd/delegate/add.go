package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/control/session"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/supervise"
	"delegate/internal/text/ui"
	"delegate/registry"
	"delegate/scope"

	"github.com/spf13/cobra"
)

// addFlags are the flags of `delegate add`.
type addFlags struct {
	startFlags
	name   string
	allow  []string
	agents []string // profiles: each gets the same task
	after  []string // agents that it waits for
	issue  string   // at the forge of the branch: a number or an address
	from   string   // file that holds the task as somebody wrote it
	// what its program is given, as the fields of a plan file
	model, effort, budget string
}

// written says whether the task was written elsewhere.
func (o addFlags) written() bool { return o.issue != "" || o.from != "" }

func (a *app) addCommand() *cobra.Command {
	o := addFlags{}
	c := command("add [\"TASK\"]", "start an agent for one more task, or for each subtask of a plan file",
		cobra.ArbitraryArgs, func(ctx context.Context, args []string) error { return a.add(ctx, args, o) })
	c.Long = "The agent joins the active session, or starts one. Without --allow it may write anywhere in the\n" +
		"repository except what is always forbidden; its changes are still compared with those of the others."
	c.Flags().StringVarP(&o.file, "file", "f", "", "plan file whose subtasks join")
	c.Flags().StringVar(&o.name, "name", "", "name of the agent; the default comes from the task")
	c.Flags().StringArrayVar(&o.allow, "allow", nil, "glob that it may write")
	c.Flags().StringSliceVar(&o.agents, "agent", nil, "profile of the agent program")
	c.Flags().StringSliceVar(&o.agents, "agents", nil,
		"profiles that all get the same task, separated by commas; one result is merged")
	c.Flags().StringVar(&o.model, "model", "", "model, as the agent program names it")
	c.Flags().StringVar(&o.effort, "effort", "", "effort of the model, as the program names it")
	c.Flags().StringVar(&o.budget, "budget", "", "limit for each agent, such as 2US$ or \"500k tokens\"")
	c.Flags().StringSliceVar(&o.after, "after", nil, "agent whose work must be merged before it starts")
	c.Flags().StringVar(&o.issue, "issue", "",
		"issue at the forge, by its number or address, that is the task; delegate add '#12' does the same")
	c.Flags().StringVar(&o.from, "from", "", "file with the task, such as an issue; its first line is the title")
	c.Flags().BoolVar(&o.noContext, "no-context", false, "accept subtasks without a Context field")
	o.addStart(c)
	o.addOnto(c)
	c.MarkFlagsMutuallyExclusive("agent", "agents")
	c.MarkFlagsMutuallyExclusive("file", "issue", "from")
	return a.jsonFlag(c)
}

// addition are tasks on their way to a person's answer, and into a session.
type addition struct {
	*draft
	flags  addFlags
	joins  registry.State // as it was shown; without a session one is started
	names  []string       // that the agents are to have
	after  []string       // ids
	answer io.Writer      // of the JSON document
}

// add is `delegate add`.
func (a *app) add(ctx context.Context, args []string, o addFlags) error {
	if len(args) > 1 || len(args) == 1 && strings.TrimSpace(args[0]) == "" {
		return &usageError{errors.New("give one task, in quotes"), "delegate add"}
	}
	if len(args) == 1 && issueForm.MatchString(args[0]) && !o.written() {
		o.issue, args = args[0], nil
	}
	if given := len(args) > 0 || o.written(); given == (o.file != "") {
		return &usageError{errors.New("give one task in quotes, or a plan file with -f, or an issue"), "delegate add"}
	}
	if o.file != "" && (o.name+o.model+o.effort+o.budget != "" || len(o.allow)+len(o.agents) > 0) {
		return &usageError{errors.New("with -f the plan says who does what: give neither --name nor --allow nor " +
			"--agent nor --model, --effort or --budget"), "delegate add"}
	}
	if len(o.agents) > 1 && o.name != "" {
		return &usageError{errors.New("several agents cannot have one name: leave --name out"), "delegate add"}
	}
	answer := a.out
	if a.json {
		a.out = a.err // what a person reads on the way to the answer
	}
	d, err := a.newAddition(ctx, o)
	if err != nil {
		return err
	}
	d.answer = answer
	return errors.Join(d.decide(ctx, args), d.dropScratch(ctx))
}

// newAddition opens the repository, and the session that the tasks join if there is one.
func (a *app) newAddition(ctx context.Context, o addFlags) (*addition, error) {
	d, err := a.newDraft(ctx, o.startFlags)
	unfit := err // of the branch that is checked out, which a session need not merge into
	if err != nil && !isA[*session.BaseError](err) {
		return nil, err
	}
	d.options.Whole = o.file == ""
	j := &addition{draft: d, flags: o}
	if j.joins, err = d.p.Store.View(ctx); err != nil {
		return nil, err
	}
	s := j.joins.Session
	if s == nil {
		if err = unfit; err == nil && len(o.after) > 0 {
			_, err = j.joins.Find(o.after[0])
		}
		return j, err
	}
	switch {
	case o.onto != "" && o.onto != s.Target:
		return nil, &otherTargetError{s.ID, s.Target, o.onto}
	case o.unfenced && s.Sandbox == "", o.semi && s.Integration == "":
		is, chosen := "is supervised", "semi-autonomous"
		if o.unfenced && s.Sandbox == "" {
			is, chosen = "has a sandbox", "unfenced"
		}
		return nil, &usageError{fmt.Errorf("session %s %s; --%s can be chosen only when a session starts. End this "+
			"one with delegate sync complete, or leave --%[3]s out", s.ID, is, chosen), "delegate add"}
	}
	d.branch, d.sandbox = s.Target, s.Sandbox
	if d.tip, err = d.p.Target(ctx, *s); err != nil {
		return nil, err
	}
	if d.base, err = session.Start(ctx, d.p, d.branch, d.tip); err != nil {
		return nil, err
	}
	for _, word := range o.after {
		other, err := j.joins.Find(word)
		if err != nil {
			return nil, err
		}
		j.after = append(j.after, other.ID)
	}
	return j, nil
}

// otherTargetError says that the active session merges into another branch than the one that was asked for.
type otherTargetError struct{ session, target, asked string }

func (e *otherTargetError) Error() string {
	return fmt.Sprintf("session %q merges into %q; a task for %q has to wait until it has ended", e.session, e.target,
		e.asked)
}

// decide reads the tasks, shows them, asks, and carries the answer out.
func (d *addition) decide(ctx context.Context, args []string) error {
	if err := d.read(ctx, args); err != nil {
		return err
	}
	if d.joins.Session == nil {
		for _, check := range []func(context.Context) error{d.checkFence, d.checkBase} {
			if err := check(ctx); err != nil {
				return err
			}
		}
	}
	if d.flags.file != "" {
		d.print(ctx)
	} else {
		d.printTask(ctx)
	}
	d.printJoins(ctx)
	if !d.term.Interactive() {
		if err := d.enter(ctx, ""); err != nil {
			return err
		}
		return &storedError{"task", d.term.Person()}
	}
	answer, err := d.term.Choose(ctx, startQuestion(len(d.whole.Subtasks)), []ui.Answer{
		{Word: "yes", Help: "start in the background"}, {Word: "cancel", Help: "make nothing"}}, "cancel")
	if err != nil {
		return err
	}
	if answer != "yes" {
		d.printf("Cancelled; nothing was made.\n")
		return nil
	}
	return d.enter(ctx, d.who.Who)
}

func startQuestion(agents int) string {
	if agents == 1 {
		return "Start this agent?"
	}
	return "Start these agents?"
}

// read makes a plan of the task, or reads the plan file.
func (d *addition) read(ctx context.Context, args []string) error {
	if d.flags.file != "" {
		return d.load(ctx)
	}
	task, written, err := d.given(ctx, args)
	if err != nil {
		return err
	}
	budget, err := plan.ReadBudget(d.flags.budget)
	if err := errors.Join(err, plan.CheckChoice("--model", d.flags.model),
		plan.CheckChoice("--effort", d.flags.effort)); err != nil {
		return &usageError{err, "delegate add"}
	}
	d.whole = &plan.Plan{Title: task.Title}
	profiles := d.flags.agents
	if len(profiles) == 0 {
		profiles = []string{""}
	}
	for i, profile := range profiles {
		sub := plan.Subtask{Number: i + 1, Name: task.Title, Description: task.Text, Context: written,
			Allowed: d.flags.allow,
			Type:    plan.Standard, Complexity: plan.Medium, Agent: profile, Model: d.flags.model,
			Effort: d.flags.effort, Budget: budget}
		if len(sub.Allowed) == 0 {
			sub.Allowed = []string{scope.Everything}
		}
		if _, err := sub.Scope(d.options); err != nil {
			return &usageError{err, "delegate add"}
		}
		d.whole.Subtasks = append(d.whole.Subtasks, sub)
		d.names = append(d.names, d.flags.name)
	}
	if d.flags.name != "" {
		if err := d.p.CheckName(ctx, d.joins, d.flags.name); err != nil {
			return err
		}
	}
	return planner.CheckPrograms(d.p, d.whole)
}

// printTask shows a single task, which several agents may get.
func (d *addition) printTask(ctx context.Context) {
	first := d.whole.Subtasks[0]
	d.printWrapped("", d.term.Bold(text(first.Name)), 0)
	d.printGiven(first.Name, first.Description, first.Context)
	var programs []string
	for _, sub := range d.whole.Subtasks {
		programs = append(programs, withChoice(d.profile(sub.Agent), sub))
	}
	d.printf("   agent:     %s\n", strings.Join(programs, ", "))
	if len(programs) > 1 {
		d.printf("              each does the whole task; you merge one\n")
	}
	d.printWrapped("   may write: ", text(scopeWords(first.Allowed))+d.today(ctx, first), 14)
	if len(d.after) > 0 {
		d.printf("   after:     %s\n", names(d.joins.NamesOf(d.after)))
	}
}

// printGiven shows what an agent is to do, and what it is given to read with it.
func (a *app) printGiven(title, task, given string) {
	if !strings.EqualFold(text(task), text(title)) {
		a.printQuoted(ui.Clean(task))
	}
	if given != "" {
		a.printQuoted(ui.Clean(given))
	}
}

// today says in brackets how many files a scope of one's own has today, which shows where it was mistyped.
func (d *addition) today(ctx context.Context, sub plan.Subtask) string {
	limits, err := sub.Scope(d.options)
	if err != nil || len(d.flags.allow) == 0 {
		return ""
	}
	files, err := d.p.Repo.Files(ctx, d.base)
	if err != nil {
		return "" // the base is looked at again before anything starts
	}
	if n := len(limits.Select(files)); n > 0 {
		return " (today " + ui.Plural(n, "file") + ")"
	}
	return " (no file there yet)"
}

// scopeWords are the globs as people read them.
func scopeWords(allowed []string) string {
	if scope.IsEverything(allowed) {
		return "the whole repository, except what is always forbidden (" +
			strings.Join(scope.AlwaysForbiddenInShort(), ", ") + ")"
	}
	return strings.Join(allowed, ", ")
}

// printJoins says which session it is, from where the agents start, and whose work theirs can meet.
func (d *addition) printJoins(ctx context.Context) {
	if d.flags.file == "" {
		d.printBase(ctx)
	}
	d.printDistance(ctx)
	s := d.joins.Session
	if s == nil {
		d.printTerms()
		return
	}
	d.printf("Joins session %s (%s).\n", s.ID, ui.Plural(len(d.joins.Agents), "agent"))
	for _, line := range d.overlaps() {
		d.printWrapped("  ", d.term.Yellow(text(line)), 4)
	}
}

// overlaps says where these agents can meet the others. Who may write everything can meet everybody at work: what they
// really change is compared as they work.
func (d *addition) overlaps() []string {
	var meets []string
	everybody := false
	for _, other := range d.joins.Agents {
		limits, err := d.p.Scope(other)
		if err != nil || other.Status.Ended() || slices.Contains(d.after, other.ID) {
			continue
		}
		who := fmt.Sprintf("%s (%s)", other.Name, other.Word())
		for _, sub := range d.whole.Subtasks {
			mine, err := sub.Scope(d.options)
			if err != nil {
				continue
			}
			witness, ok := meeting(mine, limits, other)
			if !ok {
				continue
			}
			if everybody = everybody || scope.IsEverything(sub.Allowed); !everybody {
				who += " at " + witness
			}
			meets = append(meets, who)
			break
		}
	}
	switch {
	case len(meets) == 0:
		return nil
	case everybody:
		return []string{"It may change the same files as " + strings.Join(meets, ", ") +
			"; what each changes is compared while they work."}
	}
	return []string{"It can meet " + strings.Join(meets, ", ") + "."}
}

// meeting is a path at which a scope meets another agent: what that may write, or if it finished what it changed.
func meeting(mine, limits *scope.Scope, other registry.Agent) (string, bool) {
	if other.Status != registry.Complete && other.Status != registry.Failed {
		return scope.Overlap(mine, limits)
	}
	at := slices.IndexFunc(other.FilesModified, func(path string) bool { return mine.Check(path).Allowed })
	if at < 0 {
		return "", false
	}
	return other.FilesModified[at], true
}

// enter brings the tasks into the session, approved by the one who is named, else pending.
func (d *addition) enter(ctx context.Context, approved string) error {
	r := control.StartRequest{Plan: d.whole, Target: d.branch, Base: d.tip, Approved: approved,
		Note: d.remark, Sandbox: d.sandbox, Supervision: d.supervision, Names: d.names, After: d.after,
		BestOf: len(d.flags.agents) > 1, On: d.flags.on}
	var ids []string
	var err error
	if d.joins.Session == nil {
		var state registry.State
		if state, err = control.Start(ctx, d.p, r); err == nil {
			ids = idsOf(state.Agents)
		}
	} else {
		ids, err = control.Join(ctx, d.p, d.joins, r)
	}
	if isA[*control.GoneError](err) {
		return fmt.Errorf("%w; type the command again, and the task starts another session", err)
	}
	if err != nil {
		return err
	}
	d.hasSession = true
	return d.entered(ctx, ids, approved != "")
}

func idsOf(agents []registry.Agent) []string {
	ids := make([]string, 0, len(agents))
	for _, a := range agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// entered has the agents started, and says which they are.
func (d *addition) entered(ctx context.Context, ids []string, approved bool) error {
	var failed error
	switch {
	case approved && d.joins.Session == nil:
		failed = d.started(ctx, d.p)
	case approved:
		_, failed = supervise.Launch(ctx, d.p)
	}
	state, err := d.p.Active(ctx)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, ag := range state.Agents { // a yes to a task is none to the plan of the session that it joins
		approved = approved && !(slices.Contains(ids, ag.ID) && session.AwaitsYes(state, ag))
	}
	a, next := added{Session: state.Session.ID, Approval: "pending"}, ""
	if approved {
		a.Approval, next = "approved", "; see delegate status"
	}
	for _, id := range ids {
		a.Agents = append(a.Agents, addedAgent{ID: id, Name: state.NameOf(id)})
		if d.joins.Session != nil {
			d.printf("%s (%s) joins %s%s.\n", d.term.Bold(state.NameOf(id)), id, state.Session.ID, next)
		}
	}
	if !approved {
		d.printf("\nThe task is stored as PENDING; its agent does not run yet.\nA person approves it at a "+
			"terminal with: delegate approve %s (without a name: everything that waits)\n",
			strings.Join(state.NamesOf(ids), " "))
	}
	if d.json {
		d.out = d.answer
		err = d.printJSON(a)
	}
	return errors.Join(failed, err)
}

// added is what `delegate add --json` answers.
type added struct {
	Session  string       `json:"session"`
	Agents   []addedAgent `json:"agents"`
	Approval string       `json:"approval"` // approved or pending
}

type addedAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// printDistance says how far the branch is from where it was last fetched. Nothing is fetched.
func (d *draft) printDistance(ctx context.Context) {
	behind, upstream, err := d.p.Behind(ctx, d.branch)
	if err == nil && behind > 0 {
		d.linef(d.term.Yellow, "Base: %s is %s behind %s as it was last fetched.", text(d.branch),
			ui.Plural(behind, "commit"), text(upstream))
	}
}

// askAdded asks about those tasks of the session that wait, each of which was added where nobody could be asked.
func (a *app) askAdded(ctx context.Context, p *project.Project, who control.Control,
	state, waiting registry.State,
) error {
	asked := control.PlanOf(waiting)
	for i, ag := range waiting.Agents {
		a.printf("%s  %s\n", a.term.Bold(ag.Name), text(ag.Subtask))
		a.printGiven(ag.Subtask, ag.Description, ag.Context)
		a.printf("   agent:     %s\n", withChoice(text(ag.Profile), asked.Subtasks[i]))
		a.printWrapped("   may write: ", text(scopeWords(ag.Allowed)), 14)
		if open := session.WaitsFor(state, ag); len(open) > 0 {
			a.printf("   after:     %s\n", names(state.NamesOf(idsOf(open))))
		}
	}
	answer, err := a.term.Choose(ctx, startQuestion(len(waiting.Agents)), []ui.Answer{
		{Word: "yes", Help: "start in the background"}, {Word: "cancel", Help: "take the task back"}}, "cancel")
	if err != nil {
		return err
	}
	if answer != "yes" {
		for _, ag := range waiting.Agents {
			if _, err := who.Abort(ctx, ag.ID, "withdrawn before it started"); err != nil {
				return err
			}
		}
		a.printf("Taken back; nothing was started.\n")
		return nil
	}
	if err := control.ApproveAdded(ctx, p, waiting, control.Approval{Who: who.Who}); err != nil {
		return err
	}
	a.printf("%s may start; see delegate status.\n", names(waiting.NamesOf(idsOf(waiting.Agents))))
	_, err = supervise.Launch(ctx, p)
	return err
}
