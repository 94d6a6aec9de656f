package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/bisect"
	"delegate/internal/candidate"
	"delegate/internal/control"
	"delegate/internal/journal"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/internal/threeway"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) syncMergeCommand() *cobra.Command {
	var goOn, undo, together bool
	c := command("merge [AGENT…]", "merge the work of agents, or everything that is ready", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			switch {
			case (goOn || undo) && len(args) > 0:
				return &usageError{fmt.Errorf(
					"--continue and --abort take no agent: there is at most one merge to finish or undo"),
					"delegate sync merge"}
			case goOn || undo:
				return a.recoverLanding(ctx, undo)
			case together:
				return a.tellHalfDone(ctx, a.syncAll(ctx, args, atOnce))
			case len(args) == 1:
				return a.tellHalfDone(ctx, a.syncMerge(ctx, args[0]))
			}
			return a.tellHalfDone(ctx, a.syncAll(ctx, args, landings))
		})
	c.Long = "Merges each agent's work away from your checkout, tests and reviews the result, shows it, and asks.\n" +
		"Several agents are one question each: in the order that merges the most without a conflict, or in yours " +
		"if you name them.\n" +
		"With --together they are tested as one, with one question, and all of them are merged or none."
	c.Flags().BoolVar(&together, "together", false,
		"merge the named agents, or all that are ready, with one question: all or none")
	c.Flags().BoolVar(&goOn, "continue", false, "finish a merge that was cut short")
	c.Flags().BoolVar(&undo, "abort", false, "undo a merge that was cut short")
	c.MarkFlagsMutuallyExclusive("continue", "abort", "together")
	return c
}

// tellHalfDone says what a merge that was interrupted left.
func (a *app) tellHalfDone(ctx context.Context, err error) error {
	if exitCode(err) != exitInterrupted {
		return err
	}
	p, openErr := a.open(context.WithoutCancel(ctx))
	switch {
	case openErr != nil:
	case journal.Unfinished(p):
		a.note("the merge is half done; finish it with delegate sync merge --continue, or undo it with delegate sync " +
			"merge --abort")
	default:
		a.note("nothing is half done: what you said yes to is merged, nothing else is; go on with delegate sync merge")
	}
	return err
}

func (a *app) syncMerge(ctx context.Context, id string) error {
	return a.withBuilder(ctx, id, func(ctx context.Context, b *candidate.Builder, who control.Control,
		id string) error {
		if err := a.land(ctx, b, who, id); err != nil {
			return err
		}
		return a.printNextLanding(ctx, who.P, []string{id})
	})
}

// atOnce is one question for all of them.
func atOnce(_ registry.State, order candidate.Sequence, _ []string) [][]string {
	return [][]string{order.IDs()}
}

// combine tells how the ready work does together before anyone is asked about a part of it.
func (a *app) combine(ctx context.Context, b *candidate.Builder, state registry.State, order candidate.Sequence) error {
	ready := order.Agents
	if len(ready) < 2 {
		return nil
	}
	a.printOrder(order)
	c, err := bisect.Combine(ctx, b.Project, threeway.NewResolutions(b.Project.Repo), state, ready, order.Findings)
	if err != nil {
		return err
	}
	style := a.term.Style
	switch c.Outcome.Result {
	case project.Pass:
		a.linef(style.Green, "Merged together (%s), they pass the tests.", names(state.NamesOf(c.Agents)))
		a.printf("To merge all of them with one question: delegate sync merge --together\n")
	case project.Fail:
		a.linef(style.Red, "Merged together, they fail %q (%s).", c.Outcome.Command, c.Outcome.Reason)
		a.printf("%s\n", ui.Clean(project.Tail(c.Outcome.Output, 12)))
		a.printf("%s\n", a.named(whoFails(c)))
		a.printFindings(named(state, c.Attribution.Findings))
	}
	for _, flaky := range c.Flaky {
		a.linef(style.Yellow, "Flaky: %s.", text(flaky))
	}
	for _, id := range c.Left {
		a.linef(style.Yellow, "%s", state.NameOf(id)+" does not merge with those before it.")
	}
	return nil
}

// whoFails says what is known of the agents that fail together, and how it came to be known.
func whoFails(c bisect.Combination) string {
	runs, set := ui.Plural(c.Runs, "test run"), strings.Join(c.Failing, " with ")
	switch {
	case c.Known:
		return fmt.Sprintf("The confirmed conflict of %s explains it: no tests were run to search for it.", set)
	case c.Stopped:
		return fmt.Sprintf("%s fail together. The search for fewer ended after %s (verify_runs; 0 skips the search).",
			set, runs)
	case len(c.Failing) == 0:
		return fmt.Sprintf("The target fails without any of them (%s).", runs)
	}
	return fmt.Sprintf("The smallest set that fails: %s (%s).", set, runs)
}

// recoverLanding finishes or undoes a landing that was cut short.
func (a *app) recoverLanding(ctx context.Context, undo bool) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	b := candidate.New(p)
	defer b.Close()
	run := land.Continue
	if undo {
		run = land.Undo
	}
	done, err := run(ctx, b)
	if err != nil {
		return err
	}
	branch, agents := strings.TrimPrefix(done.Target, "refs/heads/"), names(a.state.NamesOf(done.Agents))
	switch {
	case done.Landed && undo && done.Kind == candidate.Rollback:
		a.printf("The rollback was recorded already, so it was finished; %s is ready to merge.\n", agents)
	case done.Landed && undo:
		a.printf("The merge was recorded already, so it was finished; to take it back: delegate sync rollback %s\n",
			strings.ReplaceAll(agents, ", ", "; delegate sync rollback "))
	case done.Landed:
		a.printf("Finished: %s %s %s as %.12s.\n", agents, landedVerb(done.Kind, done.Agents), branch,
			done.Commit)
		if len(done.Left) > 0 {
			a.printf("These files changed meanwhile and were left alone: %s\n", text(names(done.Left)))
		}
	case done.Kind == candidate.Rollback:
		a.printf("Undone: %s is as it was before, and %s is still on it.\n", branch, agents)
	default:
		a.printf("Undone: %s is as it was before. %s is still ready to merge.\n", branch, agents)
	}
	return nil
}
