package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"delegate/internal/git"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/ui"
	"delegate/registry"
)

// land shows one candidate and asks for it, until there is an answer that stands.
func (a *app) land(ctx context.Context, b *merge.Builder, who session.Control, id string) error {
	p := who.P
	for {
		state, err := p.Active(ctx)
		if err != nil {
			return err
		}
		c, err := b.Build(ctx, state, id)
		if err != nil {
			return err
		}
		a.printCandidate(p, state, c)
		if blocks := c.Blocks(); len(blocks) > 0 {
			a.printBlocks(c, blocks)
			return &shownError{&merge.BlockedError{Agent: c.Agent.ID, Reasons: blocks}}
		}
		answer, err := a.askLanding(ctx, c)
		if err != nil {
			return err
		}
		done, err := a.answered(ctx, b, who, c, answer)
		var void *merge.VoidError
		if errors.As(err, &void) {
			a.printf("%s\n", a.term.Style.Yellow("Your answer is void: "+err.Error()+". This is the candidate now:"))
			continue
		}
		if done || err != nil {
			return err
		}
	}
}

// askLanding puts the one question. Its words are fixed; with failing tests only an explicit override lands.
func (a *app) askLanding(ctx context.Context, c merge.Candidate) (string, error) {
	yes := ui.Answer{Word: "yes", Help: fmt.Sprintf("land on %s; this includes: %s", c.TargetName(), includes(c))}
	if c.Failing() {
		yes.Word = "override"
	}
	return a.term.Choose(ctx, fmt.Sprintf("Land %s (digest %s)?", c.Agent.ID, c.Short()), []ui.Answer{
		yes,
		{Word: "no", Help: "reject it; the branch is kept"},
		{Word: "later", Help: "change nothing"},
		{Word: "review", Help: "show the whole diff, then ask again"},
		{Word: "fix", Help: "send it back with a message"},
	}, "later")
}

// includes is what a yes means beside the files.
func includes(c merge.Candidate) string {
	parts := []string{}
	switch c.Tests.Result {
	case project.Pass:
		parts = append(parts, "tests pass")
	case project.Fail:
		parts = append(parts, "FAILING tests")
	default:
		parts = append(parts, "no tests (none configured)")
	}
	if n := c.Agent.Violations; n > 0 {
		parts = append(parts, plural(n, "violation")+" acknowledged")
	}
	if n := len(c.Review); n > 0 {
		parts = append(parts, plural(n, "remark")+" of the review")
	}
	if len(c.Agent.Flags) > 0 {
		parts = append(parts, text(strings.Join(c.Agent.Flags, "; ")))
	}
	if c.Agent.Status == registry.Failed {
		parts = append(parts, "salvage of a FAILED agent")
	}
	return strings.Join(parts, ", ")
}

// answered carries out an answer; false asks again.
func (a *app) answered(ctx context.Context, b *merge.Builder, who session.Control, c merge.Candidate, answer string) (bool, error) {
	switch answer {
	case "yes", "override":
		return true, a.carryOut(ctx, b, who.P, c, answer == "override")
	case "no":
		ag, err := who.Abort(ctx, c.Agent.ID, "rejected in sync")
		if err != nil {
			return true, err
		}
		a.printf("%s is rejected. Its work is kept: branch %s, worktree %s\n", ag.ID, ag.Branch, ag.Worktree)
		return true, sendBackDependents(ctx, who, ag)
	case "review":
		return false, a.printDiff(ctx, who.P, c.Changes)
	case "fix":
		message, err := a.term.Line(ctx, fmt.Sprintf("What should %s fix?", c.Agent.ID))
		if err != nil {
			return true, err
		}
		if _, err := who.SendBack(ctx, c.Agent.ID, message); err != nil {
			return true, err
		}
		a.printf("%s has it back and works on.\n", c.Agent.ID)
		return true, a.supervised(ctx, who.P)
	}
	a.printf("%s stays as it is.\n", c.Agent.ID)
	return true, nil
}

// carryOut lands what was approved.
func (a *app) carryOut(ctx context.Context, b *merge.Builder, p *project.Project, c merge.Candidate, override bool) error {
	who, err := p.Repo.Committer(ctx)
	if err != nil {
		return err
	}
	ok, err := merge.Approve(c, merge.Consent{Digest: c.Digest, Who: git.Person{Name: who.Name, Email: who.Email}, Override: override})
	if err != nil {
		return err
	}
	commit, err := b.Land(ctx, ok)
	if err != nil {
		return err
	}
	verb := "is on"
	if c.Kind == merge.Rollback {
		verb = "is taken back from"
	}
	a.printf("%s\n", a.term.Style.Green(fmt.Sprintf("%s %s %s as %.12s.", c.Agent.ID, verb, c.TargetName(), commit)))
	return nil
}

// rollBack is land for the way back.
func (a *app) rollBack(ctx context.Context, b *merge.Builder, who session.Control, id string) error {
	p := who.P
	for {
		state, err := p.Active(ctx)
		if err != nil {
			return err
		}
		c, err := b.BuildRollback(ctx, state, id)
		if err != nil {
			return err
		}
		a.printCandidate(p, state, c)
		answers := []ui.Answer{{Word: "yes", Help: "take it back; this includes: " + includes(c)}, {Word: "no", Help: "change nothing"}}
		if c.Failing() {
			answers[0].Word = "override"
		}
		answer, err := a.term.Choose(ctx, fmt.Sprintf("Roll back %s (digest %s)?", c.Agent.ID, c.Short()), answers, "no")
		if err != nil {
			return err
		}
		if answer == "no" {
			a.printf("Nothing was changed.\n")
			return nil
		}
		err = a.carryOut(ctx, b, p, c, answer == "override")
		var void *merge.VoidError
		if errors.As(err, &void) {
			a.printf("%s\n", a.term.Style.Yellow("Your answer is void: "+err.Error()+". This is the candidate now:"))
			continue
		}
		return err
	}
}

// printCandidate is the review of one agent.
func (a *app) printCandidate(p *project.Project, state registry.State, c merge.Candidate) {
	style := a.term.Style
	a.printf("\n%s\n", style.Bold(fmt.Sprintf("%s: %s", c.Agent.ID, text(c.Agent.Subtask))))
	a.printf("%s of %.12s onto %s at %.12s\n", c.Kind, c.Theirs, c.TargetName(), c.Tip)
	files := c.Changes
	if c.Tree == "" {
		files = c.Work.Files
	}
	a.printFiles(files)
	report := session.ReadReport(p, state.Session.ID, c.Agent)
	if report.Block != "" {
		a.printf("Its last block:\n%s\n", indent(ui.Clean(report.Block)))
	}
	for _, d := range report.Differences {
		a.printf("%s\n", style.Yellow("Claim against evidence: "+text(d)))
	}
	for _, m := range report.Missing {
		a.printf("%s\n", style.Yellow("Expected output missing: "+text(m)))
	}
	if len(c.Agent.Flags) > 0 {
		a.printf("%s\n", style.Yellow("Flags: "+text(strings.Join(c.Agent.Flags, "; "))))
	}
	if c.Agent.Violations > 0 {
		a.printf("%s\n", style.Yellow(fmt.Sprintf("Violations so far: %d (delegate show %s)", c.Agent.Violations, c.Agent.ID)))
	}
	for _, r := range c.Review {
		a.printf("Review, %s: %s\n", r.Severity, text(r.Text))
	}
	if len(c.Others) > 0 {
		a.printf("With agents that have not landed (this does not block):\n")
		a.printFindings(c.Others)
	}
	if len(c.Findings) > 0 {
		a.printf("With the target:\n")
		a.printFindings(c.Findings)
	}
	a.printTests(c)
}

func (a *app) printTests(c merge.Candidate) {
	style := a.term.Style
	switch c.Tests.Result {
	case project.Pass:
		how := fmt.Sprintf("in %s", short(c.Tests.Took))
		if c.Tests.Cached {
			how = "verified before, same tree"
		}
		a.printf("%s\n", style.Green("The merged result passes the verify commands ("+how+")."))
	case project.Fail:
		a.printf("%s\n%s\n", style.Red(fmt.Sprintf("The merged result fails %q (%s).", c.Tests.Command, c.Tests.Reason)), indent(ui.Clean(project.Tail(c.Tests.Output, 12))))
	case project.NoCommands:
		a.printf("No verify commands are configured: nothing was tested.\n")
	}
}

func (a *app) printBlocks(c merge.Candidate, blocks []string) {
	a.printf("%s\n", a.term.Style.Red(c.Agent.ID+" cannot land:"))
	for _, why := range blocks {
		a.printf("  - %s\n", text(why))
	}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}
