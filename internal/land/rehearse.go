package land

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"delegate/internal/checkout"
	"delegate/internal/git"
)

// rehearse tries the update of the checkout on a copy of its index. A nil checkout needs none.
func (l *lander) rehearse(ctx context.Context, shown *git.Repo) error {
	if shown == nil {
		return nil
	}
	m, err := l.plan(ctx, shown)
	if err != nil {
		return err
	}
	return refusal(m.Check(ctx))
}

// tryFilters tries what git runs on files that it is about to write there.
func (l *lander) tryFilters(ctx context.Context, shown *git.Repo) error {
	if shown == nil {
		return nil
	}
	m, err := l.plan(ctx, shown)
	if err != nil {
		return err
	}
	folder := filepath.Join(l.p.Private, "filters")
	if err := errors.Join(os.RemoveAll(folder), os.RemoveAll(folder+".index.lock")); err != nil { // of a killed one
		return err
	}
	return refusal(m.TryFilters(ctx, folder))
}

// plan is the move of the checkout to what lands: the one that was tried, where there is one.
func (l *lander) plan(ctx context.Context, shown *git.Repo) (*checkout.Move, error) {
	if m := l.rehearsed; m != nil && m.Of(shown) && m.From == l.journal.Old && m.To == l.journal.New {
		return m, nil
	}
	m, err := l.place(shown).Plan(ctx, l.journal.Old, l.journal.New)
	if err == nil {
		l.rehearsed = m
	}
	return m, err
}
