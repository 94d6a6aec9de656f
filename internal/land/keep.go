package land

import (
	"context"
	"fmt"

	"delegate/internal/git"
	"delegate/internal/project"
)

// keep has a reference name the commits of the landing, or none: until the target moves nothing else names them, and a
// `git gc --prune=now` beside it would take them away.
func (l *lander) keep(ctx context.Context, commit string) error {
	ref := project.LandingRef(l.journal.Session)
	old, _, err := l.p.Repo.Ref(ctx, ref)
	if err != nil || old == commit {
		return err
	}
	if old == "" {
		return l.p.Repo.CreateRef(ctx, ref, commit)
	}
	return l.p.Repo.UpdateRefs(ctx, "delegate: keep", git.RefUpdate{Ref: ref, Old: old, New: commit})
}

// isWhole is an ErrRefused where an object of the landing is gone, as by a collection that looked at the references
// before keep.
func (l *lander) isWhole(ctx context.Context) error {
	if err := l.p.Repo.IsWhole(ctx, l.journal.New, l.journal.Old); err != nil {
		return fmt.Errorf("%w: git lost objects of the result, as by a git gc or git prune under way (%w); "+
			"land it again", ErrRefused, err)
	}
	return nil
}
