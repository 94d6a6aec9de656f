package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/registry"
)

// Integrate gathers the finished, clean and tested work of a semi-autonomous session on its integration branch.
// The branch is made anew from the target whenever what is on it has changed; nothing here touches the target.
// Work that may not land, or with which the whole does not pass, stays out and waits for a person.
func Integrate(ctx context.Context, b *candidate.Builder) error {
	lock, err := Lock(ctx, b.Project)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	state, err := b.Project.Active(ctx)
	if err != nil || state.Session.Integration == "" || journal.Unfinished(b.Project) {
		return err
	}
	var behind *candidate.BehindError
	if err := b.UpToDate(ctx, state); errors.As(err, &behind) {
		return nil // the person is told to pull; what was gathered stays until then
	} else if err != nil {
		return err
	}
	at, ours, err := Gathered(ctx, b.Project, *state.Session)
	if err != nil {
		return err
	}
	c, left, err := gather(ctx, b, state)
	if err != nil {
		return err
	}
	if err := session.WriteNotIntegrated(b.Project, state.Session.ID, left); err != nil {
		return err
	}
	tip := c.Tip
	if len(c.Members) == 0 && at == "" {
		return nil
	}
	if len(c.Members) > 0 {
		made, err := Commits(ctx, b.Project, candidate.Unapproved(c))
		if err != nil {
			return err
		}
		tip = made[len(made)-1].Commit
	}
	if same, err := sameTree(ctx, b.Project.Repo, at, tip); err != nil ||
		same && slices.Equal(slices.Sorted(slices.Values(c.IDs())), flagged(state)) {
		return err
	}
	branch, kept := "refs/heads/"+state.Session.Integration, project.IntegrationRef(state.Session.ID)
	reason := "delegate: gathered " + cmp.Or(c.Title(), "nothing")
	if err := b.Project.Repo.UpdateRefs(ctx, reason, git.RefUpdate{Ref: branch, Old: at, New: tip},
		git.RefUpdate{Ref: kept, Old: ours, New: tip}); err != nil {
		return err
	}
	if err := b.Project.Repo.Sync(); err != nil {
		return err
	}
	b.Project.Step("integration:moved")
	return noteGathered(ctx, b.Project, c, tip)
}

// Gathered is where the integration branch is, and where this program left it, "" if there is none.
// A branch that a person moved, or has checked out, is theirs; one that they deleted is made anew.
func Gathered(ctx context.Context, p *project.Project, s registry.Session) (at, ours string, err error) {
	branch := "refs/heads/" + s.Integration
	if at, _, err = p.Repo.Ref(ctx, branch); err != nil {
		return "", "", err
	}
	if ours, _, err = p.Repo.Ref(ctx, project.IntegrationRef(s.ID)); err != nil {
		return "", "", err
	}
	if at != ours && at != "" {
		return "", "", fmt.Errorf("%w: %s is not where this program left it; its own commits are kept at %.12s",
			ErrRefused, s.Integration, ours)
	}
	all, err := p.Repo.Worktrees(ctx)
	if err != nil {
		return "", "", err
	}
	for _, w := range all {
		if w.Branch == branch {
			return "", "", fmt.Errorf("%w: %s is checked out in %s; switch to another branch there", ErrRefused,
				s.Integration, w.Path)
		}
	}
	return at, ours, nil
}

// gather is the candidate of all work that is finished, clean, and passes together with what was taken before it, and
// why other finished work is not in it.
func gather(ctx context.Context, b *candidate.Builder, state registry.State) (taken candidate.Candidate,
	left map[string]session.NotIntegrated, err error) {
	order, err := b.Ready(ctx, state)
	if err != nil {
		return taken, nil, err
	}
	taken, left = candidate.Candidate{Session: *state.Session}, map[string]session.NotIntegrated{}
	if taken.Tip, err = b.Project.Target(ctx, *state.Session); err != nil {
		return taken, nil, err
	}
	for _, a := range order.Agents {
		if len(a.Flags.Without(registry.FlagIntegrated)) > 0 || a.Violations > 0 {
			continue // something about it asks for a person
		}
		c, err := b.Build(ctx, state, append(taken.IDs(), a.ID)...)
		if err != nil {
			return taken, nil, err
		}
		switch blocks := c.Blocks(); {
		case len(blocks) > 0:
			left[a.ID] = session.NotIntegrated{Head: a.Head, With: taken.IDs(), Why: blocks[0]}
		case c.Tests.Result == project.Pass:
			taken = c
		case c.Tests.Result == project.Fail:
			why := "the tests fail: " + c.Tests.Command
			left[a.ID] = session.NotIntegrated{Head: a.Head, With: taken.IDs(), Why: why}
		}
	}
	return taken, left, nil
}

func flagged(state registry.State) []string {
	ids := []string{}
	for _, a := range state.Agents {
		if a.Status == registry.Complete && a.Flags.Has(registry.FlagIntegrated) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// sameTree reports whether two commits hold the same files and neither is missing.
func sameTree(ctx context.Context, repo *git.Repo, x, y string) (bool, error) {
	if x == "" {
		return false, nil
	}
	one, err := repo.TreeOf(ctx, x)
	if err != nil {
		return false, err
	}
	other, err := repo.TreeOf(ctx, y)
	return one == other, err
}

// noteGathered sets and takes away the flags, with one row.
func noteGathered(ctx context.Context, p *project.Project, c candidate.Candidate, tip string) error {
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, a := range tx.State().Agents {
			on := slices.Contains(c.IDs(), a.ID)
			if a.Status != registry.Complete || on == a.Flags.Has(registry.FlagIntegrated) {
				continue
			}
			err := tx.Edit(a.ID, func(a *registry.Agent) {
				if a.Flags = a.Flags.Without(registry.FlagIntegrated); on {
					a.Flags = append(a.Flags, registry.FlagIntegrated.Flag())
				}
			})
			if err != nil {
				return err
			}
		}
		details := fmt.Sprintf("%s on %s as %.12s, %s", cmp.Or(c.Title(), "nothing"), c.Session.Integration, tip,
			project.Tested(cmp.Or(string(c.Tests.Result), "none"), c.Tests.Commands))
		return tx.Record(registry.Event{Kind: registry.EventIntegrated, Details: details, By: "supervisor"}, nil)
	})
	if errors.Is(err, registry.ErrNoSession) {
		return nil // it ended meanwhile; the branch is kept
	}
	return err
}
