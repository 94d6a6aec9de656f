package main

import (
	"context"
	"errors"
	"fmt"
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
	c := a.jsonFlag(command("sync", "review what is ready, answer, land", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.status || a.json:
			return a.syncStatus(cmd.Context())
		case o.merge != "":
			return a.syncMerge(cmd.Context(), o.merge)
		case o.all:
			return a.syncAll(cmd.Context())
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
	c.AddCommand(a.syncStatusCommand(), a.syncMergeCommand(), a.syncWaitCommand(), a.syncAbortCommand(), a.syncRollbackCommand(), a.syncComplete())
	return c
}

func (a *app) syncStatusCommand() *cobra.Command {
	return a.jsonFlag(command("status", "report on the session", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return a.syncStatus(cmd.Context())
	}))
}

func (a *app) syncWaitCommand() *cobra.Command {
	return command("wait", "wait for the agents, then report", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return a.syncWait(cmd.Context())
	})
}

func (a *app) syncAbortCommand() *cobra.Command {
	yes := false
	c := command("abort", "cancel the session; branches and worktrees are kept", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return a.syncAbort(cmd.Context(), yes)
	})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask (needed without a terminal)")
	return c
}

func (a *app) syncRollbackCommand() *cobra.Command {
	c := command("rollback AGT", "take back an agent's landing, built and tested like one", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		return a.syncRollback(cmd.Context(), args[0])
	})
	c.ValidArgsFunction = a.agentIDs
	return c
}

func (a *app) syncMergeCommand() *cobra.Command {
	var goOn, undo bool
	c := command("merge [AGT]", "land one agent's work, or everything that is ready", cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error {
		switch {
		case (goOn || undo) && len(args) > 0:
			return &usageError{fmt.Errorf("--continue and --abort take no agent: there is at most one landing to finish or undo"), "delegate sync merge"}
		case goOn || undo:
			return a.recoverLanding(cmd.Context(), undo)
		case len(args) == 1:
			return a.syncMerge(cmd.Context(), args[0])
		}
		return a.syncAll(cmd.Context())
	})
	c.Flags().BoolVar(&goOn, "continue", false, "finish a landing that was cut short")
	c.Flags().BoolVar(&undo, "abort", false, "undo a landing that was cut short")
	c.MarkFlagsMutuallyExclusive("continue", "abort")
	c.ValidArgsFunction = a.agentIDs
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
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(v)
	}
	a.printSync(ctx, p, state, v)
	return nil
}

func syncOf(ctx context.Context, p *project.Project, state registry.State) (syncView, error) {
	v := syncView{statusView: statusOf(ctx, p, state), Ready: []string{}, Running: []string{}, Waiting: []string{}, Collected: []string{}}
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

func (a *app) printSync(ctx context.Context, p *project.Project, state registry.State, v syncView) {
	a.printStatus(ctx, p, state)
	a.printf("\nTotal: %s, %s changed. Ready: %s. Running: %s. Waiting for you: %s. Uncollected: %s.\n", plural(len(v.Agents), "agent"), plural(v.Files, "file"),
		names(v.Ready), names(v.Running), names(v.Waiting), names(v.Collected))
	a.printFindings(v.Findings)
}

func names(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

func (a *app) printFindings(all []conflict.Finding) {
	style := a.term.Style
	for _, f := range all {
		line := fmt.Sprintf("%s %s (%s): %s", f.Type, strings.Join(f.Agents, " × "), f.Certainty, text(f.Message))
		switch f.Severity {
		case conflict.Error:
			line = style.Red(line)
		case conflict.Warning:
			line = style.Yellow(line)
		}
		a.printf("  %s\n", line)
		for _, place := range f.Places {
			at := ""
			if place.Line > 0 {
				at = fmt.Sprintf(":%d", place.Line)
			}
			if place.Symbol != "" {
				at += "  " + place.Symbol
			}
			a.printf("      %s  %s%s\n", place.Agent, text(place.Path), text(at))
		}
		if f.Advice != "" {
			a.printf("      → %s\n", text(f.Advice))
		}
	}
}

// person opens the repository for a command that may land something: never inside an agent, never over a half-done landing.
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
	return a.syncAll(ctx)
}

// syncAll goes through all that is ready: their combination first, then one candidate and one question after the other.
func (a *app) syncAll(ctx context.Context) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	b := merge.NewBuilder(p)
	defer b.Close()
	ready, err := b.Ready(ctx, state)
	if err != nil {
		return err
	}
	if len(ready) == 0 {
		a.printf("\nNothing is ready to land.\n")
		return nil
	}
	if err := a.combine(ctx, b, state, ready); err != nil {
		return err
	}
	var stopped error
	for _, ag := range ready {
		err := a.land(ctx, b, who, ag.ID)
		var blocked *merge.BlockedError
		if errors.As(err, &blocked) {
			stopped = errBlocked // said above; the others may still land
			continue
		}
		if err != nil {
			return err
		}
	}
	return stopped
}

// combine tells how the ready work does together before anyone is asked about a part of it.
func (a *app) combine(ctx context.Context, b *merge.Builder, state registry.State, ready []registry.Agent) error {
	if len(ready) < 2 {
		return nil
	}
	order := make([]string, 0, len(ready))
	for _, ag := range ready {
		order = append(order, ag.ID)
	}
	a.printf("\nOrder with the fewest conflicts: %s\n", strings.Join(order, ", "))
	c, err := b.Combine(ctx, state, ready)
	if err != nil {
		return err
	}
	style := a.term.Style
	switch c.Outcome.Result {
	case project.Pass:
		a.printf("%s\n", style.Green(fmt.Sprintf("Together (%s) they pass the verify commands.", strings.Join(c.Agents, ", "))))
	case project.Fail:
		a.printf("%s\n", style.Red(fmt.Sprintf("Together they fail %q (%s).", c.Outcome.Command, c.Outcome.Reason)))
		a.printf("%s\n", ui.Clean(project.Tail(c.Outcome.Output, 12)))
		if len(c.Failing) == 0 {
			a.printf("The target fails without any of them (%d test runs).\n", c.Runs)
		} else {
			a.printf("The smallest failing set found: %s (%d test runs).\n", strings.Join(c.Failing, " with "), c.Runs)
		}
	}
	for _, id := range c.Left {
		a.printf("%s\n", style.Yellow(id+" does not merge with those before it."))
	}
	return nil
}

func (a *app) syncMerge(ctx context.Context, id string) error { return a.onOne(ctx, id, a.land) }

func (a *app) syncRollback(ctx context.Context, id string) error {
	return a.onOne(ctx, id, a.rollBack)
}

// onOne prepares what a dialogue about one agent's candidate needs.
func (a *app) onOne(ctx context.Context, id string, dialogue func(context.Context, *merge.Builder, session.Control, string) error) error {
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
	if err := a.endSession(ctx, p, who, "aborted by a person"); err != nil {
		return err
	}
	a.printf("Session %s is ABORTED. Branches and worktrees are kept: git branch --list 'delegate/%s/*', %s\n", id, id, p.SessionDir(id))
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
	case done.Landed && undo:
		a.printf("It was landed and recorded already, so it was finished; take it back with: delegate sync rollback %s\n", done.Agent)
	case done.Landed:
		a.printf("Finished: %s is on %s as %.12s.\n", done.Agent, branch, done.Commit)
	default:
		a.printf("Undone: %s is as it was before. %s is still ready to land.\n", branch, done.Agent)
	}
	return nil
}
