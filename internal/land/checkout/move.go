// Package checkout takes a checkout from one commit's tree to another's, so that it can be cut off at any point by a
// kill or a power cut, and be finished or taken back afterwards.
//
// A move works on a copy of the index: git changes the files by it, the files are brought to the disk, and one rename
// puts the copy in place. So the index says which side of the move the checkout is on: while it is the old one, files
// of the new side are leftovers that can be taken away and written again; once it is the new one, files that lack are
// written again. A file that is neither the old nor the new one, nor a beginning of the new, is somebody's edit:
// the move is refused, or leaves it, and never overwrites it.
//
// Who moves a checkout writes the intent to a journal of its own first, since only it knows what else belongs to
// the move (a reference, a row of the registry), and in which order.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// Place is a checkout that is moved, and the index that knows its files.
type Place struct {
	Repo  *git.Repo    // the checkout
	Index string       // its own index, or a private one that knows the files as well
	Copy  string       // the copy of the index that a move works in; no other process may use the name
	Step  func(string) // called with each step when it is done, so that tests can end there
}

// Move is a change of a checkout from one commit's tree to another's.
type Move struct {
	From, To string
	// Touched says that git was asked to change files of the checkout.
	Touched bool

	place Place
	repo  *git.Repo
	index string
	copy  string
	files []change.File // without rename detection
}

// Plan lists what a move from one commit to another changes.
func (p Place) Plan(ctx context.Context, from, to string) (*Move, error) {
	files, err := p.Repo.Changes(ctx, from, to, git.RawEntries)
	return &Move{From: from, To: to, place: p, repo: p.Repo, index: p.Index, copy: p.Copy, files: files}, err
}

// Drop takes away what a move leaves next to the index.
func (p Place) Drop() {
	for _, path := range []string{p.Copy, p.Copy + ".lock"} {
		_ = os.Remove(path) // a leftover is overwritten by the next move
	}
}

// Start says what a move begins from.
type Start int

// The starts of a move.
const (
	Fresh    Start = iota
	CutShort       // another process began it, and may have been killed at any point
)

// RefusedError says that something stands in the way of a move, as a rule a *git.BlockedError; nothing was changed.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

func (m *Move) refused(paths []string) error {
	slices.Sort(paths)
	return &RefusedError{&git.BlockedError{Worktree: m.repo.Worktree, Paths: slices.Compact(paths)}}
}

// CheckUntracked is a *RefusedError where something that From does not have, as an ignored file, lies in the way. It is
// for a checkout of which From has all other files as they are.
func (m *Move) CheckUntracked(ctx context.Context) error {
	inWay, err := m.inTheWay(ctx)
	if err != nil {
		return err
	}
	defer m.place.Drop()
	return m.try(ctx, inWay, func(context.Context) ([]string, error) { return nil, nil })
}

// Check is a *RefusedError where a person's staged, unstaged, untracked or ignored files stand in the way, and names
// them, and where a filter that is required fails: git would find that in the middle of the move.
func (m *Move) Check(ctx context.Context) error {
	if info, err := os.Stat(m.index); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return &RefusedError{&git.NoIndexError{Worktree: m.repo.Worktree}}
	}
	defer m.place.Drop()
	err := m.check(ctx)
	if err == nil {
		err = m.repo.CheckFilters(ctx, m.files)
	}
	return refusal(err)
}

// refusal makes a *RefusedError of what git said.
func refusal(err error) error {
	if _, is := errors.AsType[*RefusedError](err); is || run.ExitCode(err) <= 0 {
		return err
	}
	return &RefusedError{err}
}

func (m *Move) check(ctx context.Context) error {
	inWay, err := m.inTheWay(ctx)
	if err != nil {
		return err
	}
	_, staged, err := m.staged(ctx)
	if err != nil {
		return err
	}
	return m.try(ctx, append(inWay, staged...), m.edited) // git itself would undo a deletion without a word
}

// try asks git whether it would do the move, and refuses it where git or what else was found says so.
func (m *Move) try(ctx context.Context, inWay []string, more func(context.Context) ([]string, error)) error {
	if err := m.copyIndex(ctx); err != nil {
		return err
	}
	tryErr := m.repo.UpdateCheckout(ctx, m.copy, m.From, m.To, git.DryRun)
	edited, err := more(ctx)
	if err != nil {
		return err
	}
	inWay = append(inWay, edited...)
	switch {
	case len(inWay) > 0:
		return m.refused(inWay)
	case tryErr != nil:
		return m.refusedByGit(ctx, tryErr)
	}
	return m.checkContent(ctx)
}

// checkContent is a *RefusedError where a file is edited although its size and times say to git that it is not, as
// settings allow. One that git would store otherwise than it is, and that is as the commit has it, is none.
func (m *Move) checkContent(ctx context.Context) error {
	ids, err := m.hashed(ctx)
	if err != nil {
		return err
	}
	var edited []string
	for _, f := range m.files {
		id := ids[f.Path]
		if f.OldMode == 0 || f.OldMode == change.ModeSubmodule || id == "" || id == f.OldID {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.repo.Worktree, filepath.FromSlash(f.Path)))
		if err != nil || git.BlobID(data, f.OldID) != f.OldID {
			edited = append(edited, f.Path)
		}
	}
	if len(edited) == 0 {
		return nil
	}
	return m.refused(edited)
}

// refusedByGit says why git would not do a move in whose way nothing lies that its status knows of.
func (m *Move) refusedByGit(ctx context.Context, tryErr error) error {
	ids, err := m.hashed(ctx)
	if err != nil {
		return err
	}
	var edited []string
	for _, f := range m.files {
		if id := ids[f.Path]; f.OldMode != 0 && id != "" && id != f.OldID {
			edited = append(edited, f.Path)
		}
	}
	hidden, err := m.repo.HiddenEdits(ctx, m.index, edited)
	if err != nil || hidden == nil {
		return errors.Join(err, &RefusedError{tryErr})
	}
	return &RefusedError{hidden}
}

// Run makes the move. One that was cut short is finished: files that a killed git had written are taken away first, and
// where the index was in place already, files that the disk lost are written again. left are files of the move that
// were changed since, and that are as they were changed.
func (m *Move) Run(ctx context.Context, start Start) (left []string, err error) {
	atOld, moved, err := m.staged(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	// the index was put in place before a crash; whatever else is staged there by now is the person's
	case len(moved) > 0 && len(atOld) == 0:
		return m.mend(ctx)
	case len(moved) > 0:
		return nil, m.refused(moved)
	}
	if start == CutShort {
		if err := m.clear(ctx); err != nil {
			return nil, err
		}
	}
	m.place.Step("restored")
	if start == Fresh {
		if err := m.checkSince(ctx); err != nil {
			return nil, err
		}
	}
	if err := m.copyIndex(ctx); err != nil {
		return nil, err
	}
	return nil, m.carryOut(ctx)
}

// checkSince is a *RefusedError where something came since Check that git would overwrite without a word: an ignored
// file, a link for a folder, an edit that its size and times do not show.
func (m *Move) checkSince(ctx context.Context) error {
	inWay, err := m.inTheWay(ctx)
	switch {
	case err != nil:
		return err
	case len(inWay) > 0:
		return m.refused(inWay)
	}
	return m.checkContent(ctx)
}

// carryOut changes the files by the copy of the index, and puts the copy in place.
func (m *Move) carryOut(ctx context.Context) error {
	m.Touched = true
	if err := m.repo.UpdateCheckout(ctx, m.copy, m.From, m.To, git.ForReal); err != nil {
		return err // whether anything was changed turns out when it is taken back
	}
	m.place.Step("files")
	if err := m.putIndex(); err != nil {
		return err
	}
	m.place.Step("index")
	return nil
}

func (m *Move) paths() []string {
	paths := make([]string, 0, len(m.files))
	for _, f := range m.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// staged tells which paths of the move the real index still has as they were, and which it has otherwise.
func (m *Move) staged(ctx context.Context) (before, otherwise []string, err error) {
	entries, err := m.repo.IndexEntries(ctx, m.index, m.paths())
	if err != nil {
		return nil, nil, err
	}
	for _, f := range m.files {
		if e := entries[f.Path]; e.ID == f.OldID && e.Mode == f.OldMode {
			before = append(before, f.Path)
		} else {
			otherwise = append(otherwise, f.Path)
		}
	}
	return before, otherwise, nil
}

// copyIndex makes a copy that knows the files' times as they are.
func (m *Move) copyIndex(ctx context.Context) error {
	if err := m.copyAsIs(); err != nil {
		return err
	}
	return m.repo.RefreshIndex(ctx, m.copy)
}

// copyAsIs makes the copy with the real index's time: by that time git knows which entries it must
// not trust the file times of. A newer copy would take an edit made in the second of the last `git
// add` for no edit, and overwrite it.
func (m *Move) copyAsIs() error {
	m.place.Drop() // a killed git leaves its lock next to the copy
	real, err := os.Open(m.index)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	defer real.Close()
	info, err := real.Stat()
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	data, err := io.ReadAll(real)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.WriteFile(m.copy, data, 0o600); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.Chtimes(m.copy, info.ModTime(), info.ModTime()); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return nil
}

// putIndex replaces the real index by the copy, in one rename, once the files that it speaks of are on the disk.
// Who may read it stays as it was.
func (m *Move) putIndex() error {
	if err := atomicfile.SyncAll(m.repo.Worktree, m.paths()...); err != nil {
		return err
	}
	info, err := os.Stat(m.index)
	if err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	if err := os.Chmod(m.copy, info.Mode().Perm()); err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	return atomicfile.Place(m.copy, m.index)
}

// mend writes those files of a move again that the index has and the checkout lacks, in part or
// whole, as after a power cut that took them. A file with any other content is a person's by now:
// it stays as it is, and is answered.
func (m *Move) mend(ctx context.Context) (left []string, err error) {
	ids, err := m.hashed(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := m.repo.IndexEntries(ctx, m.index, m.paths())
	if err != nil {
		return nil, err
	}
	differ, err := m.edited(ctx) // a file that a sparse checkout leaves out is not among them
	if err != nil {
		return nil, err
	}
	var torn, lost []string
	for _, f := range m.files {
		if e := entries[f.Path]; e.ID != f.NewID || e.Mode != f.NewMode || f.NewMode == 0 ||
			f.NewMode == change.ModeSubmodule {
			continue // nothing to write, or staged otherwise by the person
		}
		content, err := m.look(ctx, f, ids[f.Path])
		switch {
		case err != nil:
			return nil, err
		case content == holdsPart:
			torn = append(torn, f.Path)
		case content == holdsNothing && slices.Contains(differ, f.Path):
			lost = append(lost, f.Path)
		case content != holdsNothing && content != holdsNew:
			left = append(left, f.Path)
		}
	}
	if len(torn)+len(lost) == 0 {
		return left, nil
	}
	for _, path := range torn {
		if err := os.Remove(filepath.Join(m.repo.Worktree, filepath.FromSlash(path))); err != nil {
			return nil, fmt.Errorf("write %q again: %w", path, err)
		}
	}
	if err := m.copyIndex(ctx); err != nil {
		return nil, err
	}
	if err := m.repo.RestorePaths(ctx, m.copy, append(torn, lost...)); err != nil {
		return nil, err
	}
	return left, m.putIndex()
}
