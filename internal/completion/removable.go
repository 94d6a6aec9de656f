package completion

import (
	"context"
	"errors"
	"fmt"

	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// Removable says whether an agent's worktree can go: its work is in the target as it is now, and
// nothing was added to it since. The registry's word that it landed is not enough, a person may
// have reset the target. Where a submodule is checked out in it, nobody can say: *SubmoduleError.
func Removable(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent) (bool, error) {
	if a.Status != registry.Merged {
		return false, nil
	}
	target, err := p.Target(ctx, session)
	if err != nil {
		return false, err
	}
	snap, err := p.TakeHead(ctx, session.ID, a, takeover.ForALook)
	if errors.Is(err, takeover.ErrGone) {
		return false, nil
	}
	if err != nil || snap.Incomplete != "" {
		return false, err
	}
	landed, err := landedIn(ctx, p, a, landedCommit{snap.Head, target})
	if err != nil || !landed {
		return false, err
	}
	err = noSubmodule(ctx, p, a)
	return err == nil, err
}

// SubmoduleError says that a submodule is checked out in a worktree: its files, commits and stashes
// are in no head, and would go with it.
type SubmoduleError struct{ Path string }

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("the submodule %q is checked out in it, and only you can tell whether something in there is "+
		"needed", e.Path)
}

// noSubmodule is a *SubmoduleError where an agent's worktree holds files of a submodule.
func noSubmodule(ctx context.Context, p *project.Project, a registry.Agent) error {
	path, err := p.Submodule(ctx, a.Head, a.Worktree)
	if err == nil && path != "" {
		err = &SubmoduleError{Path: path}
	}
	return err
}

// landedCommit is a commit of an agent and the target that it may be in.
type landedCommit struct{ commit, target string }

// landedIn reports whether a commit of a landed agent is in the target: as itself, or by what a
// squash or rebase made of it.
func landedIn(ctx context.Context, p *project.Project, a registry.Agent, l landedCommit) (bool, error) {
	inside, err := p.Repo.IsAncestor(ctx, l.commit, l.target)
	if err != nil || inside || a.MergeCommit == "" || a.Head == "" {
		return inside, err
	}
	if inside, err = p.Repo.IsAncestor(ctx, l.commit, a.Head); err == nil && !inside {
		inside, err = sawTheHead(ctx, p, a, l.commit)
	}
	if err != nil || !inside {
		return false, err
	}
	return p.Repo.IsAncestor(ctx, a.MergeCommit, l.target)
}

// sawTheHead reports whether a commit holds the files of an agent's head on top of what that has as
// well: a look at the worktree just before the turn ended makes the same commit at another second.
func sawTheHead(ctx context.Context, p *project.Project, a registry.Agent, commit string) (bool, error) {
	seen, err := p.Repo.TreeOf(ctx, commit)
	if err != nil {
		return false, err
	}
	tree, err := p.Repo.TreeOf(ctx, a.Head)
	if err != nil || seen != tree {
		return false, err
	}
	return p.Repo.IsAncestor(ctx, commit+"^", a.Head)
}
