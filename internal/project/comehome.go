package project

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/registry"
)

// ComeHome takes an agent that has no process here to a head that its turn came to elsewhere, and that fetch brings
// into a quarantine: commits, files, branch and index, by the checks of what is made here. A head that does not
// have the one before in its history gets it as a second parent, so nothing is lost. It can be called again after a
// crash at any point. A *takeover.BehindError says that the worktree was changed here meanwhile, a *git.TakeOverError
// that the objects are not sound. kept is the reference that holds the head once it is here.
func (p *Project) ComeHome(ctx context.Context, session string, a registry.Agent, head string,
	fetch func(*git.Repo) error) (kept string, err error) {
	if head == a.Head {
		return "", nil
	}
	checkout, request, err := p.snapshotOf(ctx, session, a, takeover.ForGood)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(p.AgentState(session, a.ID), "coming")
	if err := checkout.Receive(ctx, folder, head, fetch); err != nil {
		return "", err
	}
	kept, head, err = p.keepHome(ctx, session, a, head)
	if err != nil {
		return "", err
	}
	move, begun, err := p.Moved(session, a)
	switch {
	case err != nil:
		return kept, err
	case begun && move.To == head: // by a keeper before this one
		_, err = checkout.Snapshot(ctx, request)
	default:
		err = checkout.Advance(ctx, request, takeover.Move{From: a.Head, To: head,
			Unfinished: "its work is being brought home"}, p.Step)
		var behind *takeover.BehindError
		if errors.As(err, &behind) && behind.Found == head {
			err = nil // the same, and it got to the end
		}
	}
	if err != nil {
		return kept, fmt.Errorf("bring %s home: %w", a.ID, err)
	}
	return kept, p.EndMove(session, a)
}

// keepHome holds a head that came home by a reference, and answers with that and with the head, which has the one
// before in its history.
func (p *Project) keepHome(ctx context.Context, session string, a registry.Agent, head string) (kept, combined string,
	err error) {
	kept = HeadRef(session, a.ID, a.Turns) + "-home"
	old, found, err := p.Repo.Ref(ctx, kept)
	if err != nil {
		return "", "", err
	}
	inside, err := p.Repo.IsAncestor(ctx, a.Head, head)
	if err != nil {
		return "", "", err
	}
	if !inside {
		parents := []string{head, a.Head}
		tree, err := p.Repo.TreeOf(ctx, head)
		if err != nil {
			return "", "", err
		}
		if found {
			if had, of, err := p.Repo.TreeAndParents(ctx, old); err == nil && had == tree && slices.Equal(of, parents) {
				return kept, old, nil
			}
		}
		if head, err = p.Repo.CommitTree(ctx, tree, Subject(a)+"\n", parents...); err != nil {
			return "", "", err
		}
	}
	if old == head {
		return kept, head, nil
	}
	return kept, head, p.Repo.UpdateRefs(ctx, "delegate: came home", git.RefUpdate{Ref: kept, Old: old, New: head})
}
