package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/land/journal"
	"delegate/internal/land/suite"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/text/ui"
	"delegate/internal/tidy/cleanup"
	"delegate/internal/tidy/completion"
	"delegate/internal/turn/agentdir"
	"delegate/internal/view/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// syncCompleteCommand is `delegate sync complete`.
func (a *app) syncCompleteCommand() *cobra.Command {
	var yes, commit bool
	c := command("complete", "test the final tree, archive the session, remove what is merged", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return a.syncComplete(ctx, yes, commit) })
	yesFlag(c, &yes)
	c.Flags().BoolVar(&commit, "commit", false, "commit docs/logs and docs/01_progress.md afterwards, and nothing else")
	return c
}

// syncComplete closes the session; yes answers the question unless the tests fail, commit commits its records.
func (a *app) syncComplete(ctx context.Context, yes, commit bool) error {
	p, who, state, err := a.person(ctx)
	if errors.Is(err, project.ErrNoSession) {
		return a.finishCompletion(ctx, commit)
	}
	if err != nil {
		return err
	}
	if err := completion.CheckOver(state); err != nil {
		return err
	}
	closing, err := completion.VerifyFinal(ctx, p, state)
	if err != nil {
		return err
	}
	tests := closing.Tests
	a.printf("%s: %s%s\n", text(closing.Tested), testsIncluded(tests), coverageOf(ctx, p, state, tests))
	if tests.Result == project.Fail {
		a.printf("%s\n", indent(ui.Clean(project.Tail(tests.Output, 12))))
		a.linef(a.term.Red, "%s", text(failingEnd(p, closing)))
		if !a.term.Interactive() {
			return fmt.Errorf("the final tree fails %q; only a person at a terminal can end the session "+
				"anyway: %w", tests.Command, a.term.Person())
		}
		yes = false
	}
	if !closing.Unpulled.None() {
		a.printPoint(a.term.Yellow(text(closing.Unpulled.String())), closing.Unpulled.Next())
	}
	a.printFacts("End session "+state.Session.ID, endingOf(p, state, closing.Unpulled), 0)
	a.printIgnored(ctx, p, state)
	archives := "archive it"
	if tests.Result == project.Fail {
		archives += " with FAILING tests on " + text(closing.Tested)
	}
	if err := a.confirm(ctx, fmt.Sprintf("Complete session %s?", state.Session.ID),
		archives+", and remove worktrees and branches whose work is merged; all other work is kept",
		yes); err != nil {
		return err
	}
	closing.Who = who.Who
	ending, err := completion.Complete(ctx, p, closing)
	if err != nil {
		return err
	}
	return a.finishComplete(ctx, p, ending, commit)
}

// failingEnd says of a final tree that fails what can be done about it, and whether it did so before.
func failingEnd(p *project.Project, c completion.Closing) string {
	s := c.State.Session
	words := "The tests fail on " + c.Tested
	if s.Base != "" && (c.Tip == s.Base || session.ReadFailingTarget(p, s.ID).Tip == s.Base) {
		words += ", as they did when the session began"
	}
	if slices.ContainsFunc(c.State.Agents, func(a registry.Agent) bool { return a.Status == registry.Merged }) {
		return words + ". To take a merge back: delegate sync rollback AGENT"
	}
	return words + ". Nothing of this session is merged there."
}

// coverageLines is how much of what tests printed is searched for a total.
const coverageLines = 500

// coverageOf is how the coverage changed since the session began, as far as the tests print it.
func coverageOf(ctx context.Context, p *project.Project, state registry.State, tests project.Outcome) string {
	now := suite.Coverage(project.Tail(tests.Output, coverageLines))
	if now == "" {
		return ""
	}
	if base, known := p.Passed(ctx, state.Session.Base, nil); known {
		if before := suite.Coverage(project.Tail(base.Output, coverageLines)); before != "" {
			return fmt.Sprintf(", coverage %s%% → %s%%", before, now)
		}
	}
	return fmt.Sprintf(", coverage %s%%", now)
}

// endingOf is what the end of a session removes and what it keeps.
func endingOf(p *project.Project, state registry.State, missing session.Unpulled) []fact {
	var merged, there, kept []string
	for _, ag := range state.Agents {
		switch {
		case slices.ContainsFunc(missing.Agents, func(other registry.Agent) bool { return other.ID == ag.ID }):
			there = append(there, ag.Name)
		case ag.Status == registry.Merged:
			merged = append(merged, ag.Name)
		case ag.Turns > 0:
			kept = append(kept, ag.Name)
			if p.Gone(ag) {
				kept[len(kept)-1] += " (its worktree is gone)"
			}
		}
	}
	facts := []fact{{name: "removes", words: "nothing"},
		{name: "keeps", words: "the record, reports and last outputs below docs/logs"}}
	var parts []string
	if len(merged) > 0 {
		parts = append(parts, "the worktrees and branches of "+names(merged)+"; their work is on "+state.Session.Target)
	}
	if len(there) > 0 {
		parts = append(parts, "the worktrees and branches of "+names(there)+"; their work is on "+missing.Place+
			", not on "+missing.Target+" yet")
	}
	if len(parts) > 0 {
		facts[0].words = text(strings.Join(parts, "; "))
		facts[1].words += "; of those worktrees any that has newer work"
	}
	if len(kept) > 0 {
		facts[1].words += "; the worktrees and branches of " + names(kept)
	}
	return facts
}

// printIgnored names the ignored files that go with the worktrees, since no head has them: once
// where several agents have the same.
func (a *app) printIgnored(ctx context.Context, p *project.Project, state registry.State) {
	var lists []string
	owners := map[string][]string{}
	for _, ag := range state.Agents {
		if ag.Status != registry.Merged {
			continue
		}
		paths, err := cleanup.Ignored(ctx, p, ag)
		if err != nil || len(paths) == 0 {
			continue
		}
		list := someNames(paths)
		if owners[list] == nil {
			lists = append(lists, list)
		}
		owners[list] = append(owners[list], ag.Name)
	}
	for _, list := range lists {
		a.printf("Git ignores these files of %s, and they are removed with the worktree: %s\n",
			strings.Join(owners[list], ", "), list)
	}
}

// finishCompletion goes on with a completion that was cut short after the registry had archived its session.
func (a *app) finishCompletion(ctx context.Context, commit bool) error {
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	state, tests, found := journal.CutShort(ctx, p)
	if !found {
		return a.sayEnded(ctx, p)
	}
	a.state = state
	ending, err := completion.Complete(ctx, p, completion.Closing{State: state, Tests: tests, Who: who.Who,
		Unattended: true}) // whoever began it may have been nobody
	if err != nil {
		return err
	}
	return a.finishComplete(ctx, p, ending, commit)
}

// sayEnded says of the last session that it ended by itself, if it did.
func (a *app) sayEnded(ctx context.Context, p *project.Project) error {
	last, err := lastEnded(ctx, p)
	if err != nil || !endedByItself(last) {
		return errors.Join(err, project.ErrNoSession)
	}
	a.printf("Session %s has ended by itself; there is nothing left to do.\n", last.Session.ID)
	return nil
}

// lastEnded is the session that ended last; without one its Session is nil.
func lastEnded(ctx context.Context, p *project.Project) (registry.State, error) {
	state, err := p.Store.View(ctx)
	ended := state.Ended()
	if err != nil || len(ended) == 0 {
		return registry.State{}, err
	}
	return p.Store.History(ctx, ended[len(ended)-1].ID)
}

func endedByItself(state registry.State) bool {
	return state.Session != nil && slices.ContainsFunc(state.Events, func(e registry.Event) bool {
		return e.Kind == registry.EventSessionComplete && e.By == session.BySupervisor
	})
}

// finishComplete tells how a session ended, and is an error where something is left to remove.
func (a *app) finishComplete(ctx context.Context, p *project.Project, e completion.Ending, commit bool) error {
	a.printEnding(e)
	a.printf("The record is in %s, with an entry in %s.\n", p.RecordPath(filepath.Base(p.RegistryFile())), e.Context)
	var err error
	if commit {
		err = a.commitRecords(ctx, p, e)
	}
	if len(e.Left) > 0 {
		err = errors.Join(err, errNotRemoved)
	}
	return err
}

// errNotRemoved says that a session is over and that not all of it could be removed.
var errNotRemoved = errors.New("not everything that is merged could be removed")

func (a *app) printEnding(e completion.Ending) {
	a.printf("\nCompleted session %s.\n\n", e.Session)
	var rows [][]string
	var used agentdir.Usage
	for _, ag := range e.Agents {
		used = used.Plus(session.Used(ag))
		landed := "-"
		if ag.Status == registry.Merged {
			landed = fmt.Sprintf("%.12s", ag.MergeCommit)
		}
		rows = append(rows, []string{ag.Name, ag.ID, watch.State(a.term.Style, ag.Status, ag.Word()), landed,
			strconv.Itoa(len(ag.ChangedFiles())), fmt.Sprintf("+%d −%d", ag.Insertions, ag.Deletions),
			watch.Tests(a.term.Style, ag.Tests)})
	}
	ui.Table(a.out, []string{"Agent", "ID", "Status", "Merged As", "Files", "Lines", "Tests"}, rows, a.term.Width())
	a.printf("\n")
	tests := strings.TrimPrefix(testsIncluded(e.Tests), "tests ")
	if e.Tested != "" && a.state.Session != nil && e.Tested != a.state.Session.Target {
		tests += " (on " + text(e.Tested) + ")"
	}
	a.printf("  merged       %s\n  files        %d\n  tests        %s\n", names(a.state.NamesOf(e.Merged)), e.Files,
		tests)
	a.printf("  conflicts    %s\n  took         %s\n", e.Conflicts, e.Took)
	if e.Progress != "" {
		a.printf("  progress     %s\n", e.Progress)
	}
	if words := session.UsageWords(used); words != "" {
		a.printf("  used         %s\n", words)
	}
	if len(e.Uncollected) > 0 {
		a.printf("  not reviewed %s (the branch is kept)\n", names(a.state.NamesOf(e.Uncollected)))
	}
	for _, path := range e.Removed {
		a.printf("  removed      %s\n", path)
	}
	for _, path := range e.Kept {
		a.printf("  kept         %s\n", path)
	}
	for _, path := range e.Left {
		a.printf("  not removed  %s\n", path)
	}
}

// commitRecords commits this program's own files, because a person asked for it.
func (a *app) commitRecords(ctx context.Context, p *project.Project, e completion.Ending) error {
	var paths []string
	if p.Config.Record != config.RecordPrivate {
		paths = append(paths, "docs/logs")
	}
	if _, err := os.Stat(filepath.Join(p.Main, "docs", "01_progress.md")); err == nil {
		paths = append(paths, "docs/01_progress.md")
	}
	if len(paths) == 0 {
		a.printf("The record is private; there is nothing to commit.\n")
		return nil
	}
	main, err := p.Repo.OpenWorktree(p.Main)
	if err != nil {
		return err
	}
	id, err := main.CommitPaths(ctx,
		fmt.Sprintf("Record delegation session %s\n\nAgents merged: %s", e.Session, strings.Join(e.Merged, ", ")),
		paths)
	if err != nil {
		return errors.Join(errors.New("the session is complete, but its records were not committed"), err)
	}
	a.printf("Committed %s as %.12s.\n", strings.Join(paths, " and "), id)
	return nil
}
