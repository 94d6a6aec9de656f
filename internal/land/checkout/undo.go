package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/sys/run"
)

// UnwrittenError says that a way back is done, but for files that are missing now: a filter that is required fails on
// them. The index has them.
type UnwrittenError struct {
	Worktree string
	Paths    []string
	Why      error
}

func (e *UnwrittenError) Error() string {
	return fmt.Sprintf("all is as it was before, but for files that could not be written back and are missing in %s "+
		"(%s): %v", e.Worktree, strings.Join(e.Paths, ", "), e.Why)
}

// Next writes them.
func (e *UnwrittenError) Next() string {
	return run.AsTyped(append([]string{"git", "-C", e.Worktree, "restore", "--"}, e.Paths...))
}

// Undo takes back a move that was begun, or cut short. Before the way back changes anything it calls note, which has to
// write down that there is no way forward any more; after a crash behind that it is called with CutShort.
// An *UnwrittenError is all that it could not do.
func (m *Move) Undo(ctx context.Context, start Start, note func() error) error {
	_, otherwise, err := m.staged(ctx)
	if err != nil {
		return err
	}
	if len(otherwise) == 0 {
		return m.tidy(ctx)
	}
	back, err := m.place.Plan(ctx, m.To, m.From)
	if err != nil {
		return err
	}
	if start == CutShort {
		if err := back.clear(ctx); err != nil {
			return err
		}
		return back.through(ctx)
	}
	if _, err := m.mend(ctx); err != nil {
		return err
	}
	if err := back.Check(ctx); err != nil {
		return err
	}
	if err := note(); err != nil {
		return err
	}
	return back.through(ctx)
}

// tidy is for a checkout whose index is still the old one: what git wrote of the move goes, and what it removed for
// that is written again. The move itself is not needed for it, so that what stopped it does not stop the way back.
func (m *Move) tidy(ctx context.Context) error {
	left, err := m.leftovers(ctx)
	if err != nil || len(left.written)+len(left.missing) == 0 {
		return err
	}
	if err := m.clear(ctx); err != nil {
		return err
	}
	var lost []string
	for _, f := range m.files {
		if f.OldMode != 0 && m.lacks(f.Path) {
			lost = append(lost, f.Path)
		}
	}
	hidden, err := m.repo.HiddenEdits(ctx, m.index, lost)
	if err != nil {
		return err
	}
	if hidden != nil { // a sparse checkout leaves them out
		lost = slices.DeleteFunc(lost, func(path string) bool { return slices.Contains(hidden.Skipped, path) })
	}
	return m.restore(ctx, lost)
}

// lacks reports whether nothing is at a path of the checkout.
func (m *Move) lacks(path string) bool {
	_, err := os.Lstat(filepath.Join(m.repo.Worktree, filepath.FromSlash(path)))
	return err != nil
}

// restore writes files that the checkout lacks as its index has them. An *UnwrittenError names those on which a filter
// fails; all others are written.
func (m *Move) restore(ctx context.Context, paths []string) error {
	if err := m.copyIndex(ctx); err != nil {
		return err
	}
	var unwritten *UnwrittenError
	for len(paths) > 0 {
		err := m.repo.RestorePaths(ctx, m.copy, paths)
		if err == nil {
			break
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return !m.lacks(path) })
		why := m.fails(ctx, paths)
		if why == nil {
			return err
		}
		if unwritten == nil {
			unwritten = &UnwrittenError{Worktree: m.repo.Worktree}
		}
		unwritten.Paths, unwritten.Why, paths = append(unwritten.Paths, paths[0]), why, paths[1:]
	}
	m.place.Step("back-files")
	if err := m.putIndex(); err != nil || unwritten == nil {
		return err
	}
	return unwritten
}

// fails is the *git.FilterError of the first of the paths, as the way back has it; nil where no filter keeps git from
// writing it.
func (m *Move) fails(ctx context.Context, paths []string) error {
	for _, f := range m.files {
		if len(paths) == 0 || f.Path != paths[0] {
			continue
		}
		err := m.repo.CheckFilters(ctx, []change.File{{Path: f.Path, NewMode: f.OldMode, NewID: f.OldID}})
		if _, is := errors.AsType[*git.FilterError](err); is {
			return err
		}
	}
	return nil
}

// through makes the move on a copy of the index, and puts the copy in place.
func (m *Move) through(ctx context.Context) error {
	if err := m.copyIndex(ctx); err != nil {
		return err
	}
	if err := m.repo.UpdateCheckout(ctx, m.copy, m.From, m.To, git.ForReal); err != nil {
		return err
	}
	m.place.Step("back-files")
	return m.putIndex()
}
