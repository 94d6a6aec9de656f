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

// checkReplaced refuses a target whose commit git shows as another one: the files of its checkout are those of that
// one, and would be taken for the person's edits.
func (l *lander) checkReplaced(ctx context.Context) error {
	tip, _, err := l.p.Repo.Ref(ctx, l.journal.Target)
	if err != nil {
		return err
	}
	if _, replaced, err := l.p.Repo.Ref(ctx, "refs/replace/"+tip); err != nil || !replaced {
		return err
	}
	return fmt.Errorf("%w: git shows another commit in the place of %s at %.12s (git replace); undo that with git "+
		"replace -d %[3]s, or make it real with git filter-repo", ErrRefused, l.journal.Target, tip)
}
