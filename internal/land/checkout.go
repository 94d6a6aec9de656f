package land

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/atomicfile"
	"delegate/internal/git"
)

// mark is what our lock on the index says, so that after a crash it is known as ours.
func (l *lander) mark() string { return "delegate landing " + l.journal.New + "\n" }

// indexCopy is the index that a landing works in; it replaces the real one at the end, in one rename.
func (l *lander) indexCopy(checkout *git.Repo) string {
	return filepath.Join(checkout.GitDir, "index.delegate-landing")
}

// copyIndex makes the copy with the real index's time: by that time git knows which entries it must
// not trust the file times of.
// A newer copy would take an edit made in the second of the last `git add` for no edit, and overwrite it.
func (l *lander) copyIndex(ctx context.Context, checkout *git.Repo) error {
	l.dropIndexCopy(checkout) // a killed git leaves its lock beside the copy
	real, err := os.Open(checkout.IndexPath())
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
	if err := os.WriteFile(l.indexCopy(checkout), data, 0o600); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.Chtimes(l.indexCopy(checkout), info.ModTime(), info.ModTime()); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return checkout.RefreshIndex(ctx, l.indexCopy(checkout))
}

// putIndex replaces the real index by the copy, in one rename, once the files that it speaks of are on the disk.
// Who may read it stays as it was.
func (l *lander) putIndex(checkout *git.Repo, m move) error {
	if err := atomicfile.SyncAll(checkout.Worktree, m.paths()...); err != nil {
		return err
	}
	info, err := os.Stat(checkout.IndexPath())
	if err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	if err := os.Chmod(l.indexCopy(checkout), info.Mode().Perm()); err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	return atomicfile.Place(l.indexCopy(checkout), checkout.IndexPath())
}

func (l *lander) dropIndexCopy(checkout *git.Repo) {
	for _, path := range []string{l.indexCopy(checkout), l.indexCopy(checkout) + ".lock"} {
		_ = os.Remove(path) // a leftover is overwritten by the next landing
	}
}

// updateCheckout brings the checkout from the old tree to the new one, on a copy of the index that
// is put in place last.
// Taken again after a crash it first takes away the files that a killed git had written. The branch
// is on the disk before any file.
func (l *lander) updateCheckout(ctx context.Context) error {
	if err := l.p.Repo.Sync(); err != nil {
		return err
	}
	checkout := l.checkout()
	if checkout == nil {
		return nil
	}
	m, err := l.move(ctx, l.journal.Old, l.journal.New)
	if err != nil {
		return err
	}
	atOld, moved, err := m.staged(ctx, checkout)
	if err != nil {
		return err
	}
	switch {
	// the index was put in place before a crash; whatever else is staged there by now is the person's
	case len(moved) > 0 && len(atOld) == 0:
		if l.left, err = l.mend(ctx, checkout, m); err != nil {
			return err
		}
	case len(moved) > 0:
		return refused(checkout, moved)
	default:
		if err := l.bring(ctx, checkout, m); err != nil {
			return err
		}
	}
	return checkout.UnlockIndex(l.mark())
}

// bring takes files and index of a locked checkout from one tree to the other.
func (l *lander) bring(ctx context.Context, checkout *git.Repo, m move) error {
	if l.resumed {
		if err := l.clear(ctx, checkout, m); err != nil {
			return err
		}
	}
	l.p.Step("landing:restored")
	if err := l.copyIndex(ctx, checkout); err != nil {
		return err
	}
	l.touched = true
	if err := checkout.UpdateCheckout(ctx, l.indexCopy(checkout), m.from, m.to, git.ForReal); err != nil {
		return err // whether anything was changed turns out when it is taken back
	}
	l.p.Step("landing:files")
	if err := l.putIndex(checkout, m); err != nil {
		return err
	}
	l.p.Step("landing:index")
	return nil
}

// move is a change of a checkout from one commit's tree to another's. Its files are listed without rename detection.
type move struct {
	from, to string
	files    []change.File
}

func (l *lander) move(ctx context.Context, from, to string) (move, error) {
	files, err := l.p.Repo.Changes(ctx, from, to, git.RawEntries)
	return move{from: from, to: to, files: files}, err
}

func (m move) paths() []string {
	paths := make([]string, 0, len(m.files))
	for _, f := range m.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// staged tells which paths of the move the real index still has as they were, and which it has otherwise.
func (m move) staged(ctx context.Context, checkout *git.Repo) (before, otherwise []string, err error) {
	entries, err := checkout.IndexEntries(ctx, checkout.IndexPath(), m.paths())
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

func refused(checkout *git.Repo, paths []string) error {
	slices.Sort(paths)
	return errors.Join(ErrRefused, &git.BlockedError{Worktree: checkout.Worktree, Paths: slices.Compact(paths)})
}

// clear takes away what a killed git wrote of the move: files with the new content, all of it or its beginning.
// Git then takes them for missing and writes them again. A place that holds anything else holds a person's edit:
// then nothing is touched and the paths are named.
func (l *lander) clear(ctx context.Context, checkout *git.Repo, m move) error {
	left, err := l.leftovers(ctx, checkout, m)
	if err != nil {
		return err
	}
	if len(left.foreign) > 0 {
		return refused(checkout, left.foreign)
	}
	for _, path := range left.written {
		full := filepath.Join(checkout.Worktree, filepath.FromSlash(path))
		if err := os.Remove(full); err != nil {
			return fmt.Errorf("take %q back: %w", path, err)
		}
		for dir := filepath.Dir(full); dir != checkout.Worktree && os.Remove(dir) == nil; {
			dir = filepath.Dir(dir) // only an empty folder goes, as git would have it
		}
	}
	for _, f := range m.files {
		if f.OldMode != 0 && f.OldMode != modeSubmodule && barrier(checkout.Worktree, f.Path) == "" {
			removeEmpty(filepath.Join(checkout.Worktree, filepath.FromSlash(f.Path)))
		}
	}
	return nil
}

// removeEmpty takes a folder away that holds nothing but folders; they would keep git from writing a file there.
func removeEmpty(path string) {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		removeEmpty(filepath.Join(path, e.Name()))
	}
	_ = os.Remove(path) // fails where a file is, which is what git then names
}

// leftovers is what a move that was cut short has left in a checkout whose index is still the one before.
type leftovers struct {
	written []string // files with the new content, or a beginning of it
	missing []string // files that were there before
	foreign []string // a person's
}

func (l *lander) leftovers(ctx context.Context, checkout *git.Repo, m move) (leftovers, error) {
	var left leftovers
	ids, err := m.hashed(ctx, checkout)
	if err != nil {
		return left, err
	}
	for _, f := range m.files {
		content, err := l.look(ctx, checkout, f, ids[f.Path])
		if err != nil {
			return left, err
		}
		switch content {
		case holdsNew, holdsPart:
			left.written = append(left.written, f.Path)
		case holdsOther:
			left.foreign = append(left.foreign, f.Path)
		case holdsNothing:
			if f.OldMode != 0 {
				left.missing = append(left.missing, f.Path)
			}
		}
	}
	inWay, err := untracked(ctx, checkout, m)
	if err != nil {
		return left, err
	}
	for _, path := range inWay {
		if !slices.Contains(left.written, path) && !slices.Contains(left.foreign, path) {
			left.foreign = append(left.foreign, path)
		}
	}
	return left, nil
}

type holding int

const (
	holdsNothing holding = iota
	holdsOld
	holdsNew
	holdsPart // a beginning of the new content, as a killed git or a power cut leaves it
	holdsOther
)

// hashed are the object ids of what the checkout has at the paths of the move.
func (m move) hashed(ctx context.Context, checkout *git.Repo) (map[string]string, error) {
	var paths []string
	for _, f := range m.files {
		if barrier(checkout.Worktree, f.Path) == "" {
			paths = append(paths, f.Path)
		}
	}
	all, err := checkout.HashFiles(ctx, paths)
	ids := make(map[string]string, len(all))
	for i, id := range all {
		ids[paths[i]] = id
	}
	return ids, err
}

// look says what a file of the move holds in the checkout; id is that of what is there.
func (l *lander) look(ctx context.Context, checkout *git.Repo, f change.File, id string) (holding, error) {
	path := filepath.Join(checkout.Worktree, filepath.FromSlash(f.Path))
	if barrier(checkout.Worktree, f.Path) != "" {
		return holdsNothing, nil // what stands there has a path of its own in the move, or is in the way
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return holdsNothing, nil
	}
	if err != nil {
		return holdsOther, fmt.Errorf("look at %q: %w", f.Path, err)
	}
	var data []byte
	link := info.Mode()&fs.ModeSymlink != 0
	switch {
	case link: // its id tells all
	case info.IsDir():
		return holdsNothing, nil // a folder in place of the file: its files are looked at by their own paths
	case !info.Mode().IsRegular():
		return holdsOther, nil
	default:
		if data, err = os.ReadFile(path); err != nil {
			return holdsOther, fmt.Errorf("look at %q: %w", f.Path, err)
		}
	}
	if id == "" {
		return holdsOther, nil // it came while the others were hashed
	}
	isOld := id == f.OldID && link == (f.OldMode == modeLink)
	isNew := id == f.NewID && link == (f.NewMode == modeLink)
	if isOld && isNew { // only the mode changes
		isNew = (f.NewMode == modeProgram) == (info.Mode()&0o100 != 0)
		isOld = !isNew
	}
	switch {
	case isOld:
		return holdsOld, nil
	case isNew:
		return holdsNew, nil
	case !link && l.beginsNew(ctx, f, data):
		return holdsPart, nil
	}
	return holdsOther, nil
}

// Git's modes of tree entries that a checkout writes differently.
const (
	modeProgram   = 0o100755
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

// beginsNew passes over zeros at the end, which some file systems show in place of what a power cut took.
func (l *lander) beginsNew(ctx context.Context, f change.File, data []byte) bool {
	if f.NewMode == 0 || f.NewMode == modeSubmodule || f.NewMode == modeLink {
		return false
	}
	whole, err := l.p.Repo.Blob(ctx, f.NewID)
	return err == nil && bytes.HasPrefix(whole, bytes.TrimRight(data, "\x00"))
}

// untracked lists what is in no commit and lies where the move writes a file, ignored files too,
// and what stands in place of a folder that the move writes or deletes in.
func untracked(ctx context.Context, checkout *git.Repo, m move) ([]string, error) {
	tracked, err := checkout.Files(ctx, m.from)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, path := range tracked {
		known[path] = true
	}
	var inWay []string
	for _, f := range m.files {
		if at := barrier(checkout.Worktree, f.Path); at != "" {
			if !known[at] {
				inWay = append(inWay, at)
			}
			continue
		}
		if f.OldMode == modeSubmodule && f.NewMode == 0 {
			continue // git leaves a submodule's folder where it is
		}
		found, err := untrackedAt(checkout.Worktree, f, known)
		if err != nil {
			return nil, err
		}
		inWay = append(inWay, found...)
	}
	slices.Sort(inWay)
	return slices.Compact(inWay), nil
}

// barrier is the first thing on the way to a path that is there and no folder, "" if there is none.
// A link to a folder is no folder.
func barrier(root, path string) string {
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		at := strings.Join(parts[:i], "/")
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(at)))
		if err != nil {
			return ""
		}
		if !info.IsDir() {
			return at
		}
	}
	return ""
}

// untrackedAt looks at the place of a file: something there although the file is new, or something
// inside a folder there.
func untrackedAt(root string, f change.File, known map[string]bool) ([]string, error) {
	full := filepath.Join(root, filepath.FromSlash(f.Path))
	info, err := os.Lstat(full)
	if err != nil {
		return nil, nil //nolint:nilerr // nothing there that could be lost
	}
	if !info.IsDir() {
		if f.OldMode == 0 {
			return []string{f.Path}, nil
		}
		return nil, nil
	}
	var found []string
	err = filepath.WalkDir(full, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if !known[filepath.ToSlash(relative)] {
			found = append(found, filepath.ToSlash(relative))
		}
		return nil
	})
	return found, err
}
