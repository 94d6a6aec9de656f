package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control"
	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/land/pullrequest"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// prOptions are those of `delegate sync pr`.
type prOptions struct {
	together, stack, update, goOn, undo bool
	message                             string
}

func (a *app) syncPrCommand() *cobra.Command {
	var o prOptions
	c := command("pr [AGENT…]", "open pull requests for the work of agents, or for everything that is ready",
		cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
			switch {
			case (o.goOn || o.undo) && len(args) > 0:
				return &usageError{errors.New("--continue and --abort take no agent: they finish what was interrupted"),
					"delegate sync pr"}
			case o.message != "" && len(args) != 1:
				return &usageError{errOneMessage, "delegate sync pr"}
			case o.goOn || o.undo:
				return a.recoverRequests(ctx, o.undo)
			}
			return a.syncPR(ctx, args, o)
		})
	c.Long = "Merges each agent's work onto the remote's target branch, tests and reviews the result, shows it,\n" +
		"and asks. Yes pushes exactly that to a branch of the remote, and opens a pull request there. Several\n" +
		"agents are one question and one pull request each; with --together they share one, with --stack each\n" +
		"is based on the one before it."
	f := c.Flags()
	f.BoolVar(&o.together, "together", false, "one pull request for all of them")
	f.BoolVar(&o.stack, "stack", false, "each pull request is based on the one before it")
	f.BoolVar(&o.update, "update", false, "show review comments, and push newer work to open pull requests")
	messageFlag(c, &o.message)
	f.BoolVar(&o.goOn, "continue", false, "finish an interrupted pull request")
	f.BoolVar(&o.undo, "abort", false, "give up an interrupted pull request; what is pushed stays")
	c.MarkFlagsMutuallyExclusive("together", "stack", "update", "continue", "abort")
	return c
}

func (a *app) syncPR(ctx context.Context, args []string, o prOptions) error {
	if err := a.afterRequests(ctx); err != nil {
		return err
	}
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	b := candidate.New(p)
	defer b.Close()
	b.Message = o.message
	ids, err := a.requested(ctx, b, state, args, o)
	if err != nil || len(ids) == 0 {
		return err
	}
	switch {
	case o.together:
		return a.request(ctx, b, who, pullrequest.Together, ids)
	case o.stack:
		return a.request(ctx, b, who, pullrequest.Stacked, ids)
	}
	var stopped error
	for _, id := range ids {
		err := a.request(ctx, b, who, pullrequest.Together, []string{id})
		if isA[*candidate.BlockedError](err) {
			stopped = errBlocked // said above; the others may still go out
			continue
		}
		if err != nil {
			return err
		}
	}
	return stopped
}

// requested are the agents that the person asked for, in their order.
func (a *app) requested(ctx context.Context, b *candidate.Builder, state registry.State, args []string,
	o prOptions) ([]string, error) {
	if !o.update {
		order, err := a.sequence(ctx, b, state, args)
		for _, ag := range order.Agents {
			if ag.InReview() {
				return nil, fmt.Errorf("open a pull request for %s: it is in review at %s", ag.ID, ag.PullRequest)
			}
		}
		if err == nil {
			a.printOrder(order)
		}
		return order.IDs(), err
	}
	var ids []string
	if len(args) == 0 {
		for _, ag := range state.Agents {
			if ag.Status == registry.Complete && ag.PullRequest.State == registry.PullRequestOpen && !ag.InReview() {
				ids = append(ids, ag.ID)
			}
		}
		if len(ids) == 0 {
			a.printf("\nNo open pull request has newer work. Next: delegate sync pr --update AGENT (what reviewers " +
				"wrote)\n")
		}
	}
	for _, name := range args {
		linked, _, err := pullrequest.Linked(state, name)
		if ag, findErr := state.Find(name); findErr == nil && ag.PullRequest.State == registry.PullRequestMerged &&
			ag.Status == registry.Merged {
			a.printf("The pull request for %s is merged: there is nothing to update.\n", ag.Name)
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(linked, func(id string) bool { return slices.Contains(ids, id) }) {
			ag, err := state.Find(name)
			if err != nil {
				return nil, err
			}
			ids = append(ids, ag.ID)
		}
	}
	return ids, nil
}

// request shows what would go out for agents and asks for it. Those that have an open request go out with all that it
// is tied to.
func (a *app) request(ctx context.Context, b *candidate.Builder, who control.Control, shape pullrequest.Shape,
	ids []string) error {
	state, err := who.Current(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if linked, as, err := pullrequest.Linked(state, id); err == nil {
			ids, shape = linked, as
			a.printComments(ctx, who, linked)
			break
		}
	}
	return a.decide(ctx, who, ids, b, func(ctx context.Context, state registry.State) (candidate.Candidate, error) {
		to, err := pullrequest.Prepare(ctx, who.P, state, ids, shape)
		if err != nil {
			return candidate.Candidate{}, err
		}
		return b.BuildFor(ctx, state, to, ids...)
	})
}

// asRequest is how the question about a pull request begins, and what a yes does.
func asRequest(c candidate.Candidate, included string) (question, yes string) {
	question, yes = "Open a pull request for", "push it to "+c.To.Upstream.Remote+" and open a pull request"
	switch {
	case c.To.IsUpdate():
		question, yes = "Update the pull request for", "push it to "+c.To.Upstream.Remote
	case len(c.To.Requests) > 1:
		question, yes = "Open stacked pull requests for", yes+" for each"
	}
	return question + " " + agentsOf(c), yes + "; this includes: " + included
}

// pushedOf says which branches a yes pushes.
func pushedOf(state registry.State, c candidate.Candidate) fact {
	f := fact{name: "pushes"}
	if c.To == nil {
		return f
	}
	var parts []string
	for _, r := range c.To.Requests {
		part := fmt.Sprintf("%s to %s, for %s", r.Branch, c.To.Upstream.Remote, r.Base)
		if r.Update && r.Old != "" {
			part += fmt.Sprintf(", in place of %.12s", r.Old)
		}
		if r.Update && !hasNewer(c, r.Agents) {
			part += ", which has all of this work already (later leaves it so, fix sends it back)"
		}
		if len(c.To.Requests) > 1 {
			part = strings.Join(state.NamesOf(r.Agents), ", ") + " as " + part
		}
		parts = append(parts, part)
	}
	f.words = text(strings.Join(parts, "; "))
	return f
}

// hasNewer reports whether one of the agents has newer work than its pull request.
func hasNewer(c candidate.Candidate, ids []string) bool {
	return slices.ContainsFunc(c.Members, func(m candidate.Member) bool {
		return slices.Contains(ids, m.Agent.ID) && m.Head != m.Agent.PullRequest.Of
	})
}

// prompting says whether git may ask for a login: at the person's own terminal.
func (a *app) prompting() git.Prompting {
	if a.term.Interactive() {
		return git.MayPrompt
	}
	return git.NeverPrompt
}

// publish sends out what was approved.
func (a *app) publish(ctx context.Context, b *candidate.Builder, ok candidate.Approved) error {
	done, err := pullrequest.Publish(ctx, b, ok, a.prompting())
	a.printPublished(done)
	return err
}

func (a *app) printPublished(done []pullrequest.Published) {
	for _, one := range done {
		names := names(a.state.NamesOf(one.Agents))
		verb := "opened"
		if one.Updated {
			verb = "updated"
		}
		r := one.Request
		switch {
		case r.URL != "":
			a.linef(a.term.Green, "The pull request for %s is %s: %s", names, verb, text(r.URL))
		case one.ByHand != "":
			a.linef(a.term.Green, "The work of %s is pushed to %s of %s. Open the pull request at %s", names,
				text(r.Branch), text(r.Remote), text(one.ByHand))
		default:
			a.linef(a.term.Green, "The work of %s is pushed to %s of %s, to be merged into %s.", names, text(r.Branch),
				text(r.Remote), text(r.Base))
			if !one.Updated {
				a.printf("%s is at no known forge: open the request there, or merge the branch there. "+
					"Newer work goes out with: delegate sync pr --update %s\n", text(r.Remote),
					a.state.NamesOf(one.Agents)[0])
			}
		}
	}
}

// recoverRequests finishes or gives up what was cut short.
func (a *app) recoverRequests(ctx context.Context, undo bool) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	if !undo {
		done, err := pullrequest.Continue(ctx, p, a.prompting())
		a.printPublished(done)
		return err
	}
	done, err := pullrequest.Abandon(ctx, p)
	a.printPublished(done)
	if err == nil {
		a.printf("Given up: nothing more is pushed.\n")
	}
	return err
}

// afterRequests finishes what was approved and cut short, takes over what became of open requests, and asks about those
// that were closed.
func (a *app) afterRequests(ctx context.Context) error {
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	if journal.Unpublished(p) {
		a.note("an approved pull request was interrupted; it is finished now")
		if err := a.recoverRequests(ctx, false); err != nil {
			return err
		}
	}
	state, err := p.Active(ctx)
	if errors.Is(err, project.ErrNoSession) {
		return nil // who needs one says so
	}
	if err != nil {
		return err
	}
	changed, err := pullrequest.Follow(ctx, p, state)
	a.printOutcomes(ctx, p, changed)
	if err != nil {
		a.note("the state of pull requests could not be read: %s", text(ui.ErrorText(err)))
	}
	var merged []registry.Agent
	for _, o := range changed {
		if o.Merged {
			merged = append(merged, o.Agent)
		}
	}
	if err := a.setAside(ctx, who, merged); err != nil {
		return err
	}
	if len(changed) > 0 {
		if err := a.supervised(ctx, p); err != nil {
			return err
		}
	}
	return a.askClosed(ctx, who)
}

func (a *app) printOutcomes(ctx context.Context, p *project.Project, changed []pullrequest.Outcome) {
	for _, o := range changed {
		name, where := o.Agent.Name, text(o.Request.String())
		switch {
		case o.Merged:
			a.linef(a.term.Green, "%s is merged into %s by %s.", name, text(a.state.Session.Target), where)
			target := a.state.Session.Target
			if has, err := p.Repo.IsAncestor(ctx, o.Request.Head, "refs/heads/"+target); err == nil && !has {
				a.printf("Your %s does not have it yet: git pull\n", text(target))
			}
		case o.Request.State == registry.PullRequestClosed:
			a.linef(a.term.Yellow, "The pull request for %s was closed: %s", name, where)
		case o.Agent.InReview():
			a.printf("The pull request for %s is merged into %s, and not in the target as it is here: %s\n", name,
				text(o.Request.Base), where)
		default:
			a.printf("The pull request for %s is merged; it has newer work since: %s\n", name, where)
		}
	}
}

// askClosed asks what becomes of work whose request was closed.
func (a *app) askClosed(ctx context.Context, who control.Control) error {
	state, err := who.Current(ctx)
	if err != nil || !a.term.Interactive() {
		return err
	}
	b := candidate.New(who.P)
	defer b.Close()
	for _, ag := range state.Agents {
		if !ag.IsPublished() || ag.InReview() {
			continue
		}
		answers := []ui.Answer{
			{Word: "reopen", Help: "open a new pull request, after the same checks and question"},
			{Word: "keep", Help: "keep it, ready to merge as any other work"},
			{Word: "reject", Help: "give the work up; its branch is kept"},
			{Word: "later", Help: "change nothing"},
		}
		question := fmt.Sprintf("The pull request for %s was closed. What now?", ag.Name)
		answer, err := a.term.Choose(ctx, question, answers, "later")
		if err != nil {
			return err
		}
		switch answer {
		case "reopen":
			err = a.request(ctx, b, who, pullrequest.Together, []string{ag.ID})
		case "keep":
			err = pullrequest.Forget(ctx, who.P, ag, who.Who)
		case "reject":
			err = a.reject(ctx, who, ag.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printComments shows what reviewers wrote about agents' requests since they were pushed.
func (a *app) printComments(ctx context.Context, who control.Control, ids []string) {
	for _, id := range ids {
		for i, line := range a.commentsOn(ctx, who, id) {
			if i == 0 {
				a.printf("\nWritten about %s since it was pushed:\n", names(a.state.NamesOf([]string{id})))
			}
			a.printWrapped("  - ", text(line), 4)
		}
	}
}

// commentsOn are the lines of what reviewers wrote about an agent's open request since it was pushed.
func (a *app) commentsOn(ctx context.Context, who control.Control, id string) (lines []string) {
	state, err := who.Current(ctx)
	if err != nil {
		return nil
	}
	ag, err := state.Agent(id)
	if err != nil || ag.PullRequest.State != registry.PullRequestOpen {
		return nil
	}
	all, err := pullrequest.Comments(ctx, who.P, state, ag)
	if err != nil {
		a.note("comments of reviewers could not be read: %s", text(ui.ErrorText(err)))
	}
	for _, c := range all {
		lines = append(lines, c.String())
	}
	return lines
}

// peekRequests takes over what became of open requests, for commands that only read, and answers with the session as it
// is then.
func (a *app) peekRequests(ctx context.Context, p *project.Project, state registry.State) registry.State {
	if insideAgent() != nil {
		return state
	}
	changed, err := pullrequest.Peek(ctx, p, state)
	if err != nil {
		a.note("the state of pull requests could not be read: %s", text(ui.ErrorText(err)))
	}
	if len(changed) == 0 {
		return state
	}
	if now, err := p.Store.View(ctx); err == nil {
		a.state, state = now, now
	}
	return state
}
