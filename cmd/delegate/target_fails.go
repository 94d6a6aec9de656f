package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/registry"
)

// targetFails says of a target that fails the tests by itself that the work is not to blame, and what to do.
func targetFails(c candidate.Candidate) string {
	if !c.TargetFails() {
		return ""
	}
	return failsItself(c.TargetName(), session.FailingTarget{Tip: c.Tip, Command: c.TargetTests.Command,
		Reason: c.TargetTests.Reason}) + ". Fix it there and commit, then: delegate sync merge " +
		strings.ReplaceAll(agentsOf(c), ",", "")
}

// failsItself says that a branch fails its own tests.
func failsItself(branch string, f session.FailingTarget) string {
	return fmt.Sprintf("%s fails its own tests at %.12s, without any agent's work: %q (%s)", branch, f.Tip,
		text(f.Command), f.Reason)
}

// targetFailsNow is what is known of tests that the target fails by itself as it is now; nil for nothing.
func targetFailsNow(ctx context.Context, p *project.Project, s registry.Session) *session.FailingTarget {
	failing := session.ReadFailingTarget(p, s.ID)
	if failing.Tip == "" {
		return nil
	}
	if tip, err := p.Target(ctx, s); err != nil || tip != failing.Tip {
		return nil
	}
	return &failing
}

// printTargetFails says that the target fails its own tests, whatever agents did.
func (a *app) printTargetFails(ctx context.Context, p *project.Project, s registry.Session) {
	if failing := targetFailsNow(ctx, p, s); failing != nil {
		a.printPoint(a.term.Red(failsItself(s.Target, *failing)), "fix it there and commit, then: delegate sync",
			fmt.Sprintf(`delegate add --skip-base-check "Make the tests of %s pass"`, s.Target))
	}
}

// unpulled is what others merged in the target's remote and the target here lacks; none where that cannot be seen.
func unpulled(ctx context.Context, p *project.Project, state registry.State) session.Unpulled {
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return session.Unpulled{}
	}
	missing, err := session.FindUnpulled(ctx, p, state, tip)
	if err != nil {
		return session.Unpulled{}
	}
	return missing
}

// printUnpulled says that the target lacks what others merged, and what to type.
func (a *app) printUnpulled(ctx context.Context, p *project.Project, state registry.State) {
	if missing := unpulled(ctx, p, state); !missing.None() {
		a.printPoint(a.term.Yellow(text(missing.String())), missing.Next())
	}
}
