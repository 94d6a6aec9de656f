package worktree

import (
	"context"

	"delegate/change"
	"delegate/internal/git"
)

// Span names two commits of one line of work.
type Span struct {
	Name       string // whose work it is: an agent's id, a branch, "target"
	Base, Head string
}

// Changes is what happened between the two commits as data, with the files of both sides readable. The context must outlive the set's use.
func (o *Objects) Changes(ctx context.Context, s Span) (change.Set, error) {
	files, err := o.repo.Changes(ctx, s.Base, s.Head, git.DetectRenames)
	if err != nil {
		return change.Set{}, err
	}
	base, err := o.Tree(ctx, s.Base)
	if err != nil {
		return change.Set{}, err
	}
	head, err := o.Tree(ctx, s.Head)
	if err != nil {
		return change.Set{}, err
	}
	return change.Set{Name: s.Name, Base: s.Base, Head: s.Head, BaseFS: base, HeadFS: head, Files: files}, nil
}

// ForkPoint is where an agent's own work begins: its base, or a later commit of the target that the agent has merged or rebased onto since.
func ForkPoint(ctx context.Context, repo *git.Repo, base, target, head string) (string, error) {
	shared, err := repo.MergeBase(ctx, target, head)
	if err != nil {
		return "", err
	}
	older, err := repo.IsAncestor(ctx, shared, base)
	if err != nil {
		return "", err
	}
	if older {
		return base, nil
	}
	return shared, nil
}
