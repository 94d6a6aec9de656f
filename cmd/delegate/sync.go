package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// sync is `delegate sync` in all its spellings: each flag does what the subcommand of the same name does.
func (a *app) sync() *cobra.Command {
	var o struct {
		status, all, wait, abort, yes bool
		merge, rollback               string
	}
	c := a.jsonFlag(command("sync", "review what is ready, answer, land", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.status || a.json:
				return a.syncStatus(cmd.Context())
			case o.merge != "":
				return a.syncMerge(cmd.Context(), o.merge)
			case o.all:
				return a.syncAll(cmd.Context(), nil, landings)
			case o.wait:
				return a.syncWait(cmd.Context())
			case o.abort:
				return a.syncAbort(cmd.Context(), o.yes)
			case o.rollback != "":
				return a.syncRollback(cmd.Context(), o.rollback)
			}
			return a.syncReview(cmd.Context())
		}))
	f := c.Flags()
	f.BoolVar(&o.status, "status", false, "only report")
	f.StringVar(&o.merge, "merge", "", "land one agent's work")
	f.BoolVar(&o.all, "merge-all", false, "land everything that is ready, one question each")
	f.BoolVar(&o.wait, "wait", false, "wait for the agents, then report")
	f.BoolVar(&o.abort, "abort", false, "cancel the session")
	f.StringVar(&o.rollback, "rollback", "", "take back an agent's landing")
	f.BoolVar(&o.yes, "yes", false, "do not ask (with --abort)")
	c.MarkFlagsMutuallyExclusive("status", "merge", "merge-all", "wait", "abort", "rollback")
	c.AddCommand(a.syncStatusCommand(), a.syncMergeCommand(), a.syncWaitCommand(), a.syncAbortCommand(),
		a.syncRollbackCommand(), a.syncComplete(), a.syncResolutions())
	return c
}

func (a *app) syncStatusCommand() *cobra.Command {
	return a.jsonFlag(command("status", "report on the session", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return a.syncStatus(cmd.Context())
		}))
}

func (a *app) syncWaitCommand() *cobra.Command {
	return command("wait", "wait for the agents, then report", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return a.syncWait(cmd.Context())
		})
}

func (a *app) syncAbortCommand() *cobra.Command {
	yes := false
	c := command("abort", "cancel the session; branches and worktrees are kept", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return a.syncAbort(cmd.Context(), yes)
		})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask (needed without a terminal)")
	return c
}

func (a *app) syncRollbackCommand() *cobra.Command {
	c := command("rollback AGT", "take back an agent's landing, built and tested like one", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.syncRollback(cmd.Context(), args[0])
		})
	return c
}

func (a *app) syncMergeCommand() *cobra.Command {
	var goOn, undo, together bool
	c := command("merge [AGT…]", "land the work of the agents, or everything that is ready", cobra.ArbitraryArgs,
		func(cmd *cobra.Command, args []string) error {
			switch {
			case (goOn || undo) && len(args) > 0:
				return &usageError{fmt.Errorf(
					"--continue and --abort take no agent: there is at most one landing to finish or undo"),
					"delegate sync merge"}
			case goOn || undo:
				return a.recoverLanding(cmd.Context(), undo)
			case together:
				return a.syncAll(cmd.Context(), args, atOnce)
			case len(args) == 1:
				return a.syncMerge(cmd.Context(), args[0])
			}
			return a.syncAll(cmd.Context(), args, landings)
		})
	c.Long = "Builds what each agent's work and the target make, verifies and reviews it away from your checkout, " +
		"shows it, and asks.\n" +
		"Several agents are asked about one after the other: in the order that lands the most without a conflict, or " +
		"in yours if you name them.\n" +
		"With --together they are one candidate, verified once, with one question, and land all or none."
	c.Flags().BoolVar(&together, "together", false,
		"land the named agents, or all that are ready, as one: one question, all or none")
	c.Flags().BoolVar(&goOn, "continue", false, "finish a landing that was cut short")
	c.Flags().BoolVar(&undo, "abort", false, "undo a landing that was cut short")
	c.MarkFlagsMutuallyExclusive("continue", "abort", "together")
	return c
}

// syncView is the report of `sync --status`.
type syncView struct {
	statusView
	Ready     []string           `json:"ready"`
	Running   []string           `json:"running"`
	Waiting   []string           `json:"waiting_for_person"`
	Collected []string           `json:"uncollected"`
	Findings  []conflict.Finding `json:"findings"`
	Files     int                `json:"total_files_changed"`
}

func (a *app) syncStatus(ctx context.Context) error {
	p, state, err := a.active(ctx)
	if err != nil {
		return err
	}
	v, err := syncOf(ctx, p, state)
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

func syncOf(ctx context.Context, p *project.Project, state registry.State) (syncView, error) {
	v := syncView{statusView: statusOf(ctx, p, state), Ready: []string{}, Running: []string{}, Waiting: []string{},
		Collected: []string{}}
	for _, ag := range v.Agents {
		v.Files += ag.FilesChanged
		switch ag.Status {
		case registry.Complete:
			v.Ready = append(v.Ready, ag.ID)
		case registry.Running, registry.Spawning:
			v.Running = append(v.Running, ag.ID)
		case registry.Checkpoint:
			v.Waiting = append(v.Waiting, ag.ID)
		case registry.Failed:
			v.Waiting = append(v.Waiting, ag.ID)
		}
		if !ag.Collected && ag.Status != registry.Running && ag.Status != registry.Spawning {
			v.Collected = append(v.Collected, ag.ID)
		}
	}
	b := merge.NewBuilder(p)
	defer b.Close()
	tips, err := merge.SessionTips(ctx, p, state)
	if err != nil {
		return v, err
	}
	v.Findings, err = b.Compare(ctx, tips, merge.Checked)
	return v, err
}

func (a *app) printSync(v syncView) {
	a.printf("\nTotal: %s, %s changed. Ready: %s. Running: %s. Waiting for you: %s. Uncollected (nobody looked at "+
		"the result): %s.\n", plural(len(v.Agents), "agent"), plural(v.Files, "file"),
		names(v.Ready), names(v.Running), names(v.Waiting), names(v.Collected))
	a.printFindings(v.Findings)
}

func names(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// person opens the repository for a command that may land something: never inside an agent, never
// over a half-done landing.
func (a *app) person(ctx context.Context) (*project.Project, session.Control, registry.State, error) {
	p, who, err := a.control(ctx)
	if err != nil {
		return nil, who, registry.State{}, err
	}
	_, state, err := a.active(ctx)
	if err != nil {
		return nil, who, state, err
	}
	if merge.Unfinished(p) {
		return nil, who, state, merge.ErrUnfinished
	}
	return p, who, state, nil
}

// syncReview is bare `delegate sync`: the report, and then a question for everything that is ready.
func (a *app) syncReview(ctx context.Context) error {
	if err := a.syncStatus(ctx); err != nil {
		return err
	}
	return a.syncAll(ctx, nil, landings)
}

// sequence is the order that the person asked for, else the one that suits all that is ready.
func (a *app) sequence(ctx context.Context, b *merge.Builder, state registry.State, ids []string) (merge.Sequence,
	error) {
	if len(ids) > 0 {
		return merge.In(state, ids)
	}
	s, err := b.Ready(ctx, state)
	if err == nil && len(s.Agents) == 0 {
		a.printf("\nNothing is ready to land.\n")
	}
	return s, err
}

// questions are the candidates, each a list of agents, that a person is asked about, in their order.
type questions func(state registry.State, order merge.Sequence, asked []string) [][]string

// syncAll goes through all that is ready, or through the named agents: their combination first,
// then one question after the other.
func (a *app) syncAll(ctx context.Context, ids []string, ask questions) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	b := merge.NewBuilder(p)
	defer b.Close()
	order, err := a.sequence(ctx, b, state, ids)
	if err != nil || len(order.Agents) == 0 {
		return err
	}
	if err := a.combine(ctx, b, state, order); err != nil {
		return err
	}
	var stopped error
	for _, together := range ask(state, order, ids) {
		err := a.land(ctx, b, who, together...)
		var blocked *merge.BlockedError
		if errors.As(err, &blocked) {
			stopped = errBlocked // said above; the others may still land
			continue
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(stopped, a.sayNext(ctx, p, order.IDs()))
}

// landings are the questions of one walk through what is ready: one for each agent, but one for all
// whose work was gathered on
// the integration branch, unless the person named agents.
func landings(state registry.State, order merge.Sequence, asked []string) [][]string {
	var all [][]string
	var gathered []string
	for _, id := range order.IDs() {
		if len(asked) == 0 && slices.Contains(session.Gathered(state), id) {
			gathered = append(gathered, id)
		} else {
			all = append(all, []string{id})
		}
	}
	if len(gathered) > 0 {
		all = append([][]string{gathered}, all...)
	}
	return all
}

// atOnce is one question for all of them.
func atOnce(_ registry.State, order merge.Sequence, _ []string) [][]string {
	return [][]string{order.IDs()}
}

func (a *app) printOrder(order merge.Sequence) {
	if len(order.Agents) < 2 {
		return
	}
	a.printf("\nOrder: %s\n", strings.Join(order.IDs(), ", "))
	for i, ag := range order.Agents {
		a.printf("  %s  %s\n", ag.ID, text(order.Why[i]))
	}
}

// combine tells how the ready work does together before anyone is asked about a part of it.
func (a *app) combine(ctx context.Context, b *merge.Builder, state registry.State, order merge.Sequence) error {
	ready := order.Agents
	if len(ready) < 2 {
		return nil
	}
	a.printOrder(order)
	c, err := b.Combine(ctx, state, ready)
	if err != nil {
		return err
	}
	style := a.term.Style
	switch c.Outcome.Result {
	case project.Pass:
		a.printf("%s\n", style.Green(fmt.Sprintf("Together (%s) they pass the verify commands.",
			strings.Join(c.Agents, ", "))))
		a.printf("One question for all of them: delegate sync merge --together\n")
	case project.Fail:
		a.printf("%s\n", style.Red(fmt.Sprintf("Together they fail %q (%s).", c.Outcome.Command, c.Outcome.Reason)))
		a.printf("%s\n", ui.Clean(project.Tail(c.Outcome.Output, 12)))
		if len(c.Failing) == 0 {
			a.printf("The target fails without any of them (%d test runs).\n", c.Runs)
		} else {
			a.printf("The smallest failing set found: %s (%d test runs).\n", strings.Join(c.Failing, " with "), c.Runs)
			a.printFindings(c.Measured.Findings)
		}
	}
	for _, flaky := range c.Flaky {
		a.printf("%s\n", style.Yellow("Not the same twice: "+text(flaky)+"."))
	}
	for _, id := range c.Left {
		a.printf("%s\n", style.Yellow(id+" does not merge with those before it."))
	}
	return nil
}

func (a *app) syncMerge(ctx context.Context, id string) error {
	return a.onOne(ctx, id, func(ctx context.Context, b *merge.Builder, who session.Control, id string) error {
		if err := a.land(ctx, b, who, id); err != nil {
			return err
		}
		return a.sayNext(ctx, who.P, []string{id})
	})
}

func (a *app) syncRollback(ctx context.Context, id string) error {
	return a.onOne(ctx, id, a.rollBack)
}

// onOne prepares what a dialogue about one agent's candidate needs.
func (a *app) onOne(ctx context.Context, id string,
	dialogue func(context.Context, *merge.Builder, session.Control, string) error) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	ag, err := project.Find(state, id)
	if err != nil {
		return err
	}
	b := merge.NewBuilder(p)
	defer b.Close()
	return dialogue(ctx, b, who, ag.ID)
}

func (a *app) syncWait(ctx context.Context) error {
	p, _, err := a.active(ctx)
	if err != nil {
		return err
	}
	for {
		results, err := session.Wait(ctx, p, nil, 30*time.Second)
		if err != nil {
			return err
		}
		if !anyTimedOut(results) {
			break
		}
		fmt.Fprintf(a.err, "still working …\n")
	}
	return a.syncStatus(ctx)
}

func anyTimedOut(results []session.Waited) bool {
	for _, r := range results {
		if r.TimedOut {
			return true
		}
	}
	return false
}

func (a *app) syncAbort(ctx context.Context, yes bool) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	id := state.Session.ID
	if err := a.confirm(ctx, fmt.Sprintf("Abort session %s?", id), yes); err != nil {
		return err
	}
	if err := endSession(ctx, who, "aborted by a person"); err != nil {
		return err
	}
	a.printf("Session %s is ABORTED. Branches and worktrees are kept: git branch --list 'delegate/%s/*', %s\n", id, id,
		p.SessionDir(id))
	return nil
}

// recoverLanding finishes or undoes a landing that was cut short.
func (a *app) recoverLanding(ctx context.Context, undo bool) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	b := merge.NewBuilder(p)
	defer b.Close()
	run := b.Continue
	if undo {
		run = b.Undo
	}
	done, err := run(ctx)
	if err != nil {
		return err
	}
	branch := strings.TrimPrefix(done.Target, "refs/heads/")
	switch {
	case done.Landed && undo && done.Kind == merge.Rollback:
		a.printf("It was taken back and recorded already, so it was finished; %s is COMPLETE.\n", names(done.Agents))
	case done.Landed && undo:
		a.printf("It was landed and recorded already, so it was finished; take it back with: delegate sync rollback %s\n", strings.Join(done.Agents, "; delegate sync rollback "))
	case done.Landed:
		a.printf("Finished: %s %s %s as %.12s.\n", names(done.Agents), landedVerb(done.Kind, done.Agents), branch,
			done.Commit)
		if len(done.Left) > 0 {
			a.printf("Changed since, and left as they are: %s\n", text(names(done.Left)))
		}
	case done.Kind == merge.Rollback:
		a.printf("Undone: %s is as it was before, and %s is still on it.\n", branch, names(done.Agents))
	default:
		a.printf("Undone: %s is as it was before. %s is still ready to land.\n", branch, names(done.Agents))
	}
	return nil
}
