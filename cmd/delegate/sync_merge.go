package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/land"
	"delegate/internal/land/bisect"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

func (a *app) syncMergeCommand() *cobra.Command {
	var goOn, undo, together bool
	message := ""
	c := command("merge [AGENT…]", "merge the work of agents, or everything that is ready", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			switch {
			case (goOn || undo) && len(args) > 0:
				return &usageError{fmt.Errorf(
					"--continue and --abort take no agent: there is at most one merge to finish or undo"),
					"delegate sync merge"}
			case message != "" && len(args) != 1:
				return &usageError{errOneMessage, "delegate sync merge"}
			case goOn || undo:
				return a.recoverLanding(ctx, undo)
			case together:
				return a.tellHalfDone(ctx, time.Now(), a.syncAll(ctx, nil, args, atOnce))
			case len(args) == 1:
				return a.tellHalfDone(ctx, time.Now(), a.syncMerge(ctx, args[0], message))
			}
			return a.tellHalfDone(ctx, time.Now(), a.syncAll(ctx, nil, args, landings))
		})
	c.Aliases = []string{"merge-all"} // as the option of sync is called
	c.Long = "Merges each agent's work outside your checkout, tests and reviews the result, shows it, and asks.\n" +
		"Several agents are one question each: in the order that merges the most without a conflict, or in\n" +
		"yours if you name them. With --together they are tested as one, with one question, and all of them\n" +
		"are merged or none."
	c.Flags().BoolVar(&together, "together", false,
		"merge the named agents, or all that are ready, with one question: all or none")
	messageFlag(c, &message)
	c.Flags().BoolVar(&goOn, "continue", false, "finish an interrupted merge")
	c.Flags().BoolVar(&undo, "abort", false, "undo an interrupted merge")
	c.MarkFlagsMutuallyExclusive("continue", "abort", "together", "message")
	return c
}

// errOneMessage refuses one message for the commits of several agents.
var errOneMessage = errors.New("--message is for the commit of one agent; name it")

func messageFlag(c *cobra.Command, message *string) {
	c.Flags().StringVarP(message, "message", "m", "", "message of the commit, in place of the one made from the task")
}

// tellHalfDone says what a merge that began at a time and was interrupted left.
func (a *app) tellHalfDone(ctx context.Context, begun time.Time, err error) error {
	if exitCode(err) != exitInterrupted {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	p, openErr := a.open(ctx)
	switch {
	case openErr != nil:
	case journal.Unfinished(p):
		a.note("the merge is half done; finish it with delegate sync merge --continue, or undo it with delegate sync " +
			"merge --abort")
	default:
		merged := "nothing was merged"
		if state, err := p.Store.View(ctx); err == nil {
			switch done := mergedSince(state, begun); len(done) {
			case 0:
			case 1:
				merged = names(state.NamesOf(done)) + " is merged, nothing else is"
			default:
				merged = names(state.NamesOf(done)) + " are merged, nothing else is"
			}
		}
		a.note("%s, and nothing is half done; continue with delegate sync merge", merged)
	}
	return err
}

// mergedSince are the agents that were merged at a time or later, which the record keeps to the second.
func mergedSince(state registry.State, begun time.Time) (ids []string) {
	for _, e := range state.Events {
		if e.Kind == registry.EventMerged && !e.Time.Before(begun.Truncate(time.Second)) {
			ids = append(ids, e.Agent)
		}
	}
	return ids
}

func (a *app) syncMerge(ctx context.Context, id, message string) error {
	return a.withBuilder(ctx, id, func(ctx context.Context, b *candidate.Builder, who control.Control,
		id string) error {
		b.Message = message
		if err := a.land(ctx, b, who, id); err != nil {
			return a.notMerged([]string{id}, err)
		}
		return a.printNextLanding(ctx, who.P, []string{id})
	})
}

// notMerged reports a merge that was refused and leads to the dialogue about it, which has all answers.
func (a *app) notMerged(ids []string, err error) error {
	if exitCode(err) != exitBlocked {
		return err
	}
	a.report(err)
	for _, id := range ids {
		a.note("to merge %[1]s later, send it back, adapt it or abort it: delegate review %[1]s", a.state.NameOf(id))
	}
	return &shownError{err}
}

// atOnce is one question for all of them.
func atOnce(_ registry.State, order candidate.Sequence, _ []string) [][]string {
	return [][]string{order.IDs()}
}

// meet says whether two of these agents have a conflict, which one question about all of them would pass over.
func meet(findings []conflict.Finding, agents []string) bool {
	return slices.ContainsFunc(findings, func(f conflict.Finding) bool {
		return f.Severity != conflict.Info && !isClean(f) && len(f.Agents) == 2 &&
			slices.Contains(agents, f.Agents[0]) && slices.Contains(agents, f.Agents[1])
	})
}

// combine tells how the ready work does together before anyone is asked about it, in so many questions.
func (a *app) combine(ctx context.Context, b *candidate.Builder, state registry.State, order candidate.Sequence,
	questions int) error {
	ready := oneOfEach(order.Agents)
	if len(ready) < 2 {
		return nil
	}
	a.printOrder(order)
	c, err := bisect.Combine(ctx, b.Project, threeway.NewResolutions(b.Project.Repo), state, ready, order.Findings)
	if err != nil {
		return err
	}
	style, target := a.term.Style, state.Session.Target
	if c.TargetFails() {
		a.linef(style.Red, "%s.", failsItself(target, session.FailingTarget{Tip: c.Tip, Command: c.Outcome.Command,
			Reason: c.Outcome.Reason}))
		a.printf("Fix it there and commit, then: delegate sync\n")
	}
	switch c.Outcome.Result {
	case project.Pass:
		a.linef(style.Green, "Merged together (%s), they pass the tests.", names(state.NamesOf(c.Agents)))
		if questions > 1 && !meet(order.Findings, c.Agents) {
			a.printf("To merge all of them with one question: delegate sync merge --together\n")
		}
	case project.Fail:
		a.linef(style.Red, "Merged together, they fail %q (%s).", c.Outcome.Command, c.Outcome.Reason)
		if !c.Known || a.printed == nil { // else its conflict has said that
			a.printf("%s\n", ui.Clean(project.Tail(c.Outcome.Output, 12)))
		}
		if !c.TargetFails() {
			a.printWrapped("", a.named(whoFails(c)), 0)
		}
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
		return fmt.Sprintf("%s fail together, or some of them do. The search for fewer ended at verify_runs, after %s "+
			"in all (0 skips the search).", set, runs)
	}
	words := fmt.Sprintf("The smallest set that fails: %s (%s).", set, runs)
	if len(c.Failing) < len(c.Agents) {
		words += " The search ended with it; without it, the others may still fail."
	}
	return words
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
		if done.Said != "" {
			a.linef(a.term.Yellow, "%s", text(done.Said))
		}
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
