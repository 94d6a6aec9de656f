package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/pullrequest"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/text/ui"
	"delegate/internal/view/status"
	"delegate/registry"
)

// land shows one candidate and asks for it, until there is an answer that stands.
func (a *app) land(ctx context.Context, b *candidate.Builder, who control.Control, ids ...string) error {
	if who.P.Config.Landing.Mode == config.LandByPullRequest {
		return a.request(ctx, b, who, pullrequest.Together, ids)
	}
	if err := a.mayLand(ctx, who); err != nil {
		return err
	}
	return a.decide(ctx, who, ids, b, func(ctx context.Context, state registry.State) (candidate.Candidate, error) {
		return b.Build(ctx, state, ids...)
	})
}

// mayLand is an error where a landing would be refused whatever it brings, before anything is built and verified.
func (a *app) mayLand(ctx context.Context, who control.Control) error {
	state, err := who.Current(ctx)
	if err == nil {
		err = land.Ready(ctx, who.P, "refs/heads/"+state.Session.Target)
	}
	return err
}

// endsFirst refuses agents whose state allows no merge, before anything of them is built and verified.
func (a *app) endsFirst(who control.Control, state registry.State, ids []string) error {
	for _, id := range ids {
		ag, err := state.Find(id)
		if err != nil {
			continue // whoever builds it says so
		}
		why := ""
		switch {
		case ag.Status == registry.Running || ag.Status == registry.Spawning:
			return &candidate.BlockedError{Agent: ag.ID, Reasons: []string{fmt.Sprintf(
				"it is %s: delegate wait %s, or end its turn: delegate interrupt %[2]s", ag.Status.Word(), ag.Name)}}
		case ag.Status != registry.Complete && ag.Status != registry.Failed:
			why = candidate.Unmergeable(ag)
		case ag.HasNoChanges():
			why = "there is nothing to merge: " + status.Next(who.P, ag, nil)
		default:
			continue
		}
		a.linef(a.term.Red, "%s cannot be merged into %s:", ag.Name, state.Session.Target)
		a.printWrapped("  - ", forPeople(state, why), 4)
		return &shownError{&candidate.BlockedError{Agent: ag.ID, Reasons: []string{why}}}
	}
	return nil
}

// decide shows what is built of agents and asks for it, until there is an answer that stands.
func (a *app) decide(ctx context.Context, who control.Control, ids []string, b *candidate.Builder,
	build func(context.Context, registry.State) (candidate.Candidate, error)) error {
	p := who.P
	var voided *candidate.Candidate // what the last answer was for
	for {
		state, err := who.Current(ctx)
		if err != nil {
			return err
		}
		if voided != nil {
			if err := a.mergedMeanwhile(state, ids); err != nil {
				return err
			}
		}
		if err := a.endsFirst(who, state, ids); err != nil {
			return err
		}
		c, err := build(ctx, state)
		if err != nil {
			return err
		}
		if voided != nil {
			a.printVoid(*voided, c)
		}
		a.printCandidate(p, state, c)
		if len(c.Open()) > 0 && a.term.Interactive() {
			again, err := a.resolve(ctx, who, state, c)
			if again {
				continue
			}
			return err
		}
		if blocks := c.Blocks(); len(blocks) > 0 {
			a.printBlocks(state, c)
			if _, _, ok := brokenMember(c); ok && a.term.Interactive() {
				return a.askBroken(ctx, who, c)
			}
			return &shownError{&candidate.BlockedError{Agent: c.Title(), Reasons: blocks}}
		}
		if err := a.noteAsked(ctx, p, c); err != nil {
			return err
		}
		a.tellInTheWay(ctx, p, c)
		done, err := a.askLanding(ctx, b, who, state, c)
		if _, ok := errors.AsType[*candidate.VoidError](err); ok {
			voided = &c
			continue
		}
		if done || err != nil {
			return err
		}
	}
}

// printVoid says that an answer was for something else than what there is, and why that is another one.
func (a *app) printVoid(shown, now candidate.Candidate) {
	a.linef(a.term.Yellow, "Your answer is void: %s. This is what there is now:",
		text(a.named(now.ChangedSince(shown))))
}

// mergedMeanwhile ends the question about agents that somebody else merged while it was open.
func (a *app) mergedMeanwhile(state registry.State, ids []string) error {
	for _, id := range ids {
		ag, err := state.Find(id)
		if err != nil || ag.Status != registry.Merged {
			continue
		}
		a.linef(a.term.Yellow, "Your answer changed nothing: %s was merged meanwhile, as %.12s.", ag.Name,
			ag.MergeCommit)
		return &shownError{&control.AnsweredError{ID: ag.Name, Answer: "merged as " + ag.MergeCommit}}
	}
	return nil
}

// tellInTheWay says before the question what of the person's own would have a yes refused. What cannot be looked at is
// found when it lands.
func (a *app) tellInTheWay(ctx context.Context, p *project.Project, c candidate.Candidate) {
	if c.OnlyRecord || c.To != nil {
		return // no checkout is changed
	}
	paths, err := land.InTheWay(ctx, p, c)
	switch {
	case errors.Is(err, land.ErrRefused):
		a.linef(a.term.Yellow, "A yes would be refused now: %s.", text(ui.ErrorText(err)))
	case err == nil && len(paths) > 0:
		a.linef(a.term.Yellow, "Your own edits stand in the way of this merge: %s. Commit, stash or move them before "+
			"you answer yes.", names(pathTexts(paths)))
	}
}

// noteAsked keeps the digest that a person is asked to sign, so that they can compare it with what a page shows.
func (a *app) noteAsked(ctx context.Context, p *project.Project, c candidate.Candidate) error {
	if c.Session.Approval != "key" || c.Kind != candidate.Landing {
		return nil
	}
	return session.ChangeReview(ctx, p, c.Session.ID, func(r *session.Review) error {
		for _, m := range c.Members {
			r.Ask(m.Agent.ID, session.Asked{Digest: c.Digest, Head: m.Agent.Head, Tip: c.Tip, At: time.Now()})
		}
		return nil
	})
}

// askLanding puts the one question, until its answer is more than a look. Its words are fixed; with failing tests only
// an explicit override lands.
func (a *app) askLanding(ctx context.Context, b *candidate.Builder, who control.Control, state registry.State,
	c candidate.Candidate) (done bool, err error) {
	yes := ui.Answer{Word: "yes", Help: fmt.Sprintf("merge into %s; this includes: %s", c.TargetName(),
		includes(who.P, state, c))}
	question := "Land " + c.Title()
	if c.To != nil {
		question, yes.Help = asRequest(c, includes(who.P, state, c))
	}
	if c.Failing() {
		yes.Word = "override"
	}
	no, fix := "abort it; its work is kept", "send it back with a message and with what the review found"
	if len(c.Members) > 1 {
		no, fix = "abort all of them; their work is kept",
			"send one of them back with a message and with what the review found"
	}
	answers := []ui.Answer{
		yes,
		{Word: "no", Help: no},
		{Word: "later", Help: "change nothing"},
		{Word: "review", Help: "read everything, with the whole diff; then this question again"},
		{Word: "fix", Help: fix},
		{Word: "diff", Help: "the diff in your pager; then this question again"},
		{Word: "why", Help: "claims against evidence, findings, test output, remarks; then this question again"},
	}
	for {
		answer, err := a.term.Choose(ctx, fmt.Sprintf("%s (digest %s)?", question, c.Short()), answers, "later")
		if err != nil {
			return true, err
		}
		for _, m := range c.Members {
			who.P.Collect(c.Session.ID, m.Agent) // a person has seen it
		}
		switch answer {
		case "review", "diff", "why":
			err = a.look(ctx, who.P, state, c, answer)
		default:
			return a.answered(ctx, b, who, c, answer)
		}
		if err != nil {
			return true, err
		}
	}
}

// look shows what there is to read of a candidate: the diff, everything else, or both.
func (a *app) look(ctx context.Context, p *project.Project, state registry.State, c candidate.Candidate,
	which string) error {
	var all bytes.Buffer
	if which != "diff" {
		printer := *a
		printer.out, printer.printed = &all, nil
		printer.printWhy(p, state, c)
	}
	if which != "why" {
		patch, err := a.patchOf(ctx, p, filesOf(c))
		if err != nil {
			return err
		}
		all.Write(patch)
	}
	return a.page(ctx, p.Repo, all.Bytes())
}

// includes is what a yes means beside the files.
func includes(p *project.Project, state registry.State, c candidate.Candidate) string {
	parts := []string{testsIncluded(c.Tests)}
	for _, f := range conflictsWith(c) {
		with := "with " + c.TargetName()
		if !slices.Contains(f.Agents, project.TargetName) {
			with = "between " + strings.Join(f.Agents, " and ")
		}
		parts = append(parts, fmt.Sprintf("a %s conflict %s: %s", f.Certainty, forPeople(state, with),
			strings.TrimSuffix(ui.Cut(forPeople(state, f.Message), longestPart), ".")))
	}
	if c.Kind == candidate.Rollback {
		return parts[0] // what was said of the work was for its landing
	}
	open, members := 0, agentsIn(c)
	for _, ag := range members {
		open += session.OpenViolations(p, state.Session.ID, ag)
	}
	if open > 0 {
		parts = append(parts, session.ViolationWords(p, state.Session.ID, members...)+" acknowledged")
	}
	if n := len(c.Review); n > 0 {
		parts = append(parts, ui.Plural(n, "remark")+" of the review")
	} else {
		parts = append(parts, "review clean")
	}
	for _, m := range c.Members {
		prefix := ""
		if len(c.Members) > 1 {
			prefix = m.Agent.Name + ": "
		}
		if n := len(m.Resolved); n > 0 {
			parts = append(parts, prefix+ui.Plural(n, "file")+" as resolved")
		}
		if words := m.Agent.Flags.Without(registry.FlagIntegrated).Words(); len(words) > 0 {
			parts = append(parts, prefix+text(strings.Join(words, ", ")))
		}
		if m.Agent.Status == registry.Failed {
			parts = append(parts, prefix+"partial work of an agent that failed")
		}
	}
	for _, note := range c.Notes {
		parts = append(parts, forPeople(state, note))
	}
	return strings.Join(parts, ", ")
}

// longestPart is how much of a conflict a yes names.
const longestPart = 120

// answered carries out an answer; false asks again.
func (a *app) answered(ctx context.Context, b *candidate.Builder, who control.Control, c candidate.Candidate,
	answer string) (bool, error) {
	switch answer {
	case "yes", "override":
		if err := a.carryOut(ctx, b, who.P, c, answer == "override"); err != nil || c.To != nil {
			return true, err
		}
		return true, a.setAside(ctx, who, agentsIn(c))
	case "no":
		if err := b.Recheck(ctx, c); err != nil {
			return true, err
		}
		for _, m := range slices.Backward(c.Members) { // those that build on others first: nobody sends them back then
			if err := a.reject(ctx, who, m.Agent.ID); err != nil {
				return true, err
			}
		}
		return true, nil
	case "fix":
		if err := b.Recheck(ctx, c); err != nil {
			return true, err
		}
		return true, a.fix(ctx, who, c)
	}
	verb := "stays as it is"
	if len(c.Members) > 1 {
		verb = "stay as they are"
	}
	a.printf("%s %s. To be asked again: delegate sync\n", agentsOf(c), verb)
	return true, nil
}

func (a *app) reject(ctx context.Context, who control.Control, id string) error {
	ag, err := who.Reject(ctx, id, "rejected in sync")
	if err == nil {
		a.printf("%s\n", isAborted(ctx, who.P, ag))
	}
	return err
}

// fix sends one of the candidate's agents back with a message.
func (a *app) fix(ctx context.Context, who control.Control, c candidate.Candidate) error {
	ag := c.Members[0].Agent
	if len(c.Members) > 1 {
		var answers []ui.Answer
		for _, m := range c.Members {
			answers = append(answers, ui.Answer{Word: m.Agent.Name, Also: m.Agent.ID, Help: text(m.Agent.Subtask)})
		}
		word, err := a.term.Choose(ctx, "Which one should go back?", answers, ag.Name)
		if err != nil {
			return err
		}
		ag = c.Members[slices.IndexFunc(answers, func(one ui.Answer) bool { return one.Word == word })].Agent
	}
	message, err := a.term.Line(ctx, fmt.Sprintf("What should %s fix?", ag.Name))
	if err != nil {
		return err
	}
	found := append(a.faults(c, ag), a.commentsOn(ctx, who, ag.ID)...)
	ag, err = who.SendBack(ctx, ag.ID, control.Findings(message, found))
	if err != nil {
		return err
	}
	a.printf("%s\n", a.isSentBack(ag))
	return a.supervised(ctx, who.P)
}

// faults is what was found about one agent's part of a candidate, for whoever is to mend it.
func (a *app) faults(c candidate.Candidate, ag registry.Agent) (found []string) {
	for _, why := range c.Blocks() {
		found = append(found, a.forAgent(ag, why))
	}
	for _, r := range c.Review {
		found = append(found, fmt.Sprintf("review, %s: %s", r.Severity, r.Text))
	}
	for _, m := range c.Members {
		if m.Agent.ID != ag.ID {
			continue
		}
		for _, f := range m.Findings {
			if !f.Blocking {
				found = append(found, a.forAgent(ag, f.ForAuthor()))
			}
		}
	}
	for _, f := range c.Attribution.Findings {
		found = append(found, a.forAgent(ag, f.ForAuthor()))
	}
	if c.TargetFails() {
		found = append(found, targetFails(c))
	} else if c.Failing() {
		found = append(found, fmt.Sprintf("the merged result fails %q (%s):\n%s", c.Tests.Command, c.Tests.Reason,
			ui.Clean(project.Tail(c.Tests.Output, 20))))
	}
	return found
}

// carryOut lands what was approved.
func (a *app) carryOut(ctx context.Context, b *candidate.Builder, p *project.Project, c candidate.Candidate,
	override bool) error {
	who, err := p.Repo.Committer(ctx)
	if err != nil {
		return err
	}
	signed, err := a.sign(ctx, p, c)
	if err != nil {
		return err
	}
	ok, err := candidate.Approve(c, candidate.Consent{Digest: c.Digest,
		Who:      git.Person{Name: who.Name, Email: who.Email},
		Override: override, Signed: signed})
	if err != nil {
		return err
	}
	if c.To != nil {
		return a.publish(ctx, b, ok)
	}
	done, err := land.Land(ctx, b, ok)
	if err != nil {
		return err
	}
	if c.OnlyRecord {
		a.linef(a.term.Green, "%s is ready again; %s is as it was.", agentsOf(c), c.TargetName())
		return nil
	}
	a.linef(a.term.Green, "%s %s %s as %.12s.", agentsOf(c), landedVerb(c.Kind, c.IDs()), c.TargetName(), done.Commit)
	if done.Said != "" {
		a.linef(a.term.Yellow, "%s", text(done.Said))
	}
	return nil
}

// landedVerb is what a candidate of a kind does to the target, between its agents' names and the branch's.
func landedVerb(kind candidate.Kind, ids []string) string {
	switch {
	case kind == candidate.Rollback:
		return "is taken back out of"
	case len(ids) > 1:
		return "are merged into"
	}
	return "is merged into"
}

// isSentBack says that an agent goes on with what a person told it.
func (a *app) isSentBack(ag registry.Agent) string {
	return "Sent back to " + ag.Name + "; it " + a.works(ag) + "."
}
