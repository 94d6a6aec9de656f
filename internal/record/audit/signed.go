package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"delegate/internal/land/approval"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// CheckSigned holds what landed against the signatures by which it was approved: of the active session, and of those
// that ended, as far as their records are there. What was signed has to be what happened. It changes nothing.
func CheckSigned(ctx context.Context, p *project.Project, state registry.State) ([]Disagreement, error) {
	c := &signedCheck{recordCheck: recordCheck{p: p}}
	ended := state.Ended()
	if state.Session != nil {
		if err := c.session(ctx, state); err != nil {
			return nil, err
		}
	}
	for _, one := range ended {
		old, err := p.Store.History(ctx, one.ID)
		if err != nil {
			c.add(Disagreement{Kind: Unchecked, Text: fmt.Sprintf("the signatures of %s were not checked: %s", one.ID,
				project.OneLine(err.Error()))})
			continue
		}
		if err := c.session(ctx, old); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

// signedCheck is one look at signatures.
type signedCheck struct {
	recordCheck
	keys *approval.Keys // nil until a signature was seen
}

func (c *signedCheck) session(ctx context.Context, state registry.State) error {
	needed := state.Session.Approval == config.ApprovalByKey
	for _, a := range state.Agents {
		done := a.Status == registry.Merged || a.RolledBack != "" || a.PullRequest.State != ""
		switch {
		case a.Signed != "":
			if err := c.agent(ctx, state, a); err != nil {
				return err
			}
		case needed && done:
			c.say(state, a, "it has no signature, and this session asked for one")
		}
	}
	return nil
}

// agent checks the signature of one agent, and that what it says is what the record says.
func (c *signedCheck) agent(ctx context.Context, state registry.State, a registry.Agent) error {
	if c.keys == nil {
		keys, err := approval.Find(ctx, c.p.Home, c.p.Main)
		if err != nil {
			c.say(state, a, "it cannot be checked: "+err.Error())
			return nil
		}
		c.keys = &keys
	}
	said, _, err := c.keys.Check(ctx, a.Signed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case err != nil:
		c.say(state, a, err.Error())
	case said.Session != state.Session.ID || said.Target != state.Session.Target || !slices.Contains(said.Agents, a.ID):
		c.say(state, a, "it was made for something else: "+said.String())
	case !slices.Contains(operations(a), said.Operation):
		c.say(state, a, fmt.Sprintf("it was made for a %s", said.Operation))
	default:
		return c.landed(ctx, state, a, said)
	}
	return nil
}

// operations are those that the signature of an agent as it is recorded may be for.
func operations(a registry.Agent) []approval.Operation {
	switch {
	case a.Status == registry.Merged && a.PullRequest.State == registry.PullRequestMerged:
		return []approval.Operation{approval.PullRequest}
	case a.Status == registry.Merged:
		return []approval.Operation{approval.Landing}
	case a.PullRequest.State != "":
		return []approval.Operation{approval.PullRequest, approval.Rollback}
	}
	return []approval.Operation{approval.Rollback, approval.PullRequest}
}

// landed holds the tree that was signed against the one that the last of the landing's commits has.
func (c *signedCheck) landed(ctx context.Context, state registry.State, a registry.Agent,
	said approval.Statement) error {
	commit := a.MergeCommit
	if said.Operation == approval.Rollback {
		commit = a.RolledBack
	}
	last := said.Agents[len(said.Agents)-1] == a.ID
	if said.Operation == approval.PullRequest || !last || said.Operation == approval.Rollback && a.MergeCommit == "" {
		return nil // others merge it; it lies below the others; only the record was changed
	}
	tree, err := c.p.Repo.TreeOf(ctx, commit)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.say(state, a, fmt.Sprintf("it cannot be held against %.12s: %s", commit, err.Error()))
	case tree != said.Tree:
		c.say(state, a, fmt.Sprintf("it was made for the tree %.12s, and %.12s has %.12s", said.Tree, commit, tree))
	}
	return nil
}

func (c *signedCheck) say(state registry.State, a registry.Agent, what string) {
	commit := cmp.Or(a.MergeCommit, a.RolledBack)
	next := []string{"delegate show " + a.ID}
	if a.Status == registry.Merged && commit != "" {
		next = []string{"git show " + commit, "delegate sync rollback " + a.ID}
	}
	c.add(Disagreement{Kind: Unsigned, Agent: a.ID, Commit: commit, Next: next,
		Text: fmt.Sprintf("the approval of %s in %s: %s", a.ID, state.Session.ID, project.OneLine(what))})
}
