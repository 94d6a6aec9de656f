package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// syncCommand is `delegate sync` in all its spellings: each flag does what the subcommand of the same name does.
func (a *app) syncCommand() *cobra.Command {
	var o struct {
		status, all, wait, complete, abort, yes bool
		merge, rollback                         string
	}
	c := a.jsonFlag(command("sync", "review what is ready, answer, merge", cobra.ArbitraryArgs,
		func(ctx context.Context, _ []string) error {
			switch {
			case o.status || a.json:
				return a.syncStatus(ctx)
			case o.merge != "":
				return a.tellHalfDone(ctx, time.Now(), a.syncMerge(ctx, o.merge, ""))
			case o.all:
				return a.tellHalfDone(ctx, time.Now(), a.syncAll(ctx, nil, nil, landings))
			case o.wait:
				return a.syncWait(ctx)
			case o.complete:
				return a.syncComplete(ctx, o.yes, false)
			case o.abort:
				return a.syncAbort(ctx, o.yes)
			case o.rollback != "":
				return a.syncRollback(ctx, o.rollback, "")
			}
			return a.tellHalfDone(ctx, time.Now(), a.syncReview(ctx))
		}))
	c.Args = onlyBelow
	f := c.Flags()
	f.BoolVar(&o.status, "status", false, "only report")
	f.StringVar(&o.merge, "merge", "", "merge one agent's work")
	f.BoolVar(&o.all, "merge-all", false, "merge everything that is ready, one question each")
	f.BoolVar(&o.wait, "wait", false, "wait for the agents, then report")
	f.BoolVar(&o.complete, "complete", false, "end the session")
	f.BoolVar(&o.abort, "abort", false, "cancel the session")
	f.StringVar(&o.rollback, "rollback", "", "revert an agent's merge")
	f.BoolVar(&o.yes, "yes", false, "do not ask (with --abort or --complete)")
	c.MarkFlagsMutuallyExclusive("status", "merge", "merge-all", "wait", "complete", "abort", "rollback")
	c.AddCommand(a.syncStatusCommand(), a.syncMergeCommand(), a.syncPrCommand(), a.syncWaitCommand(),
		a.syncAbortCommand(),
		a.syncRollbackCommand(), a.syncCompleteCommand(), a.syncResolutionsCommand())
	return c
}

// person opens the repository for a command that may land something: never inside an agent, never
// over a half-done landing.
func (a *app) person(ctx context.Context) (*project.Project, control.Control, registry.State, error) {
	p, who, err := a.control(ctx)
	if err != nil {
		return nil, who, registry.State{}, err
	}
	_, state, err := a.active(ctx)
	if err != nil {
		return nil, who, state, err
	}
	switch {
	case journal.Unfinished(p):
		return nil, who, state, journal.ErrUnfinished
	case journal.Unpublished(p):
		return nil, who, state, journal.ErrUnpublished
	}
	return p, who, state, nil
}

// syncReview is bare `delegate sync`: the report, and then a question for everything that is ready.
func (a *app) syncReview(ctx context.Context) error {
	if err := a.afterRequests(ctx); err != nil {
		return err
	}
	a.printed = map[string]bool{}
	p, state, err := a.active(ctx)
	if err != nil {
		return err
	}
	go p.Support() // it takes a process, and the first candidate waits for it
	b := candidate.New(p)
	defer b.Close()
	if err := a.reportSync(ctx, p, state, b.Comparer()); err != nil {
		return err
	}
	return a.syncAll(ctx, b, nil, landings)
}

// questions are the candidates, each a list of agents, that a person is asked about, in their order.
type questions func(state registry.State, order candidate.Sequence, asked []string) [][]string

// syncAll goes through all that is ready, or through the named agents: their combination first,
// then one question after the other. b is a builder that compared the work already, nil for none.
func (a *app) syncAll(ctx context.Context, b *candidate.Builder, ids []string, ask questions) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	if b == nil {
		b = candidate.New(p)
		defer b.Close()
	}
	order, err := a.sequence(ctx, b, state, ids)
	if err != nil || len(order.Agents) == 0 {
		return err
	}
	if p.Config.Landing.Mode != config.LandByPullRequest {
		err := b.UpToDate(ctx, state) // before anything is tested without what it lacks
		if isA[*candidate.BehindError](err) && len(ids) == 0 && !a.term.Interactive() {
			a.note("%s. Type: %s", text(a.named(err.Error())), requestHint(err))
			return a.term.Person()
		}
		if err = cmp.Or(err, a.mayLand(ctx, who)); err != nil {
			return err
		}
	}
	a.printAlternatives(state, order.Agents)
	each := ask(state, order, ids)
	if err := a.combine(ctx, b, state, order, len(each)); err != nil {
		return err
	}
	var stopped error
	for _, together := range each {
		if set, err := isSetAside(ctx, who, together); set || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		err := a.land(ctx, b, who, together...)
		if isA[*candidate.BlockedError](err) || errors.Is(err, land.ErrRefused) && (isA[*git.BlockedError](err) ||
			isA[*git.FilterError](err) || isA[*land.MessageError](err)) {
			_ = a.notMerged(together, err) // it is about this work or its message: the others may still land
			stopped = errBlocked
			continue
		}
		if isA[*control.AnsweredError](err) { // by a yes at another terminal
			continue
		}
		if err != nil {
			return err
		}
	}
	asked := order.IDs()
	for _, f := range order.Unread {
		asked = append(asked, f.Agents...)
	}
	return errors.Join(stopped, a.printNextLanding(ctx, p, asked))
}

// landings are the questions of one walk through what is ready: one for each agent, but one for all
// whose work was gathered on the integration branch, unless the person named agents.
func landings(state registry.State, order candidate.Sequence, asked []string) [][]string {
	var all [][]string
	var gathered []string
	for _, id := range order.IDs() {
		if len(asked) == 0 && slices.Contains(status.Gathered(state), id) {
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

// sequence is the order that the person asked for, else the one that suits all that is ready.
func (a *app) sequence(ctx context.Context, b *candidate.Builder, state registry.State,
	ids []string) (candidate.Sequence,
	error) {
	if len(ids) > 0 {
		return b.In(ctx, state, ids)
	}
	s, err := b.Ready(ctx, state)
	if a.printed == nil { // else the report has told it
		a.printFindings(named(state, s.Unread))
	}
	if err == nil && len(s.Agents) == 0 {
		a.printf("\nNothing is ready to merge.\n")
	}
	return s, err
}

// printOrder lists what is asked about, in its order: results of one task in one place, since one of them is merged.
func (a *app) printOrder(order candidate.Sequence) {
	each := oneOfEach(order.Agents)
	if len(each) < 2 {
		return
	}
	a.printf("\nMerge order:\n")
	for i, ag := range each {
		at := slices.IndexFunc(order.Agents, func(other registry.Agent) bool { return other.ID == ag.ID })
		who, why := ag.Name, order.Why[at]
		for _, other := range order.Agents[at+1:] {
			if ag.BestOf != "" && other.BestOf == ag.BestOf {
				who, why = who+" or "+other.Name, "one of these is merged; "+why
			}
		}
		a.printWrapped(fmt.Sprintf("  %d. %s  ", i+1, who), a.named(why), len("  1. "))
	}
}

// withBuilder prepares what a dialogue about one agent's candidate needs.
func (a *app) withBuilder(ctx context.Context, id string,
	dialogue func(context.Context, *candidate.Builder, control.Control, string) error) error {
	p, who, state, err := a.person(ctx)
	if err != nil {
		return err
	}
	ag, err := state.Find(id)
	if err != nil {
		return err
	}
	b := candidate.New(p)
	defer b.Close()
	return dialogue(ctx, b, who, ag.ID)
}

func names(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
