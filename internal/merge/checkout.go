package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
)

// mark is what our lock on the index says, so that after a crash it is known as ours.
func (l *lander) mark() string { return "delegate landing " + l.journal.New + "\n" }

// indexCopy is the index that a landing works in; it replaces the real one at the end, in one rename.
func (l *lander) indexCopy(checkout *git.Repo) string {
	return filepath.Join(checkout.GitDir, "index.delegate-landing")
}

func (l *lander) copyIndex(ctx context.Context, checkout *git.Repo) error {
	data, err := os.ReadFile(checkout.IndexPath())
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.WriteFile(l.indexCopy(checkout), data, 0o600); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return checkout.RefreshIndex(ctx, l.indexCopy(checkout))
}

func (l *lander) dropIndexCopy(checkout *git.Repo) {
	for _, path := range []string{l.indexCopy(checkout), l.indexCopy(checkout) + ".lock"} {
		_ = os.Remove(path) // a leftover is overwritten by the next landing
	}
}

// updateCheckout brings the checkout from the old tree to the new one, on a copy of the index that is put in place last.
// Taken again after a crash it first puts back the files that a killed git had changed already.
func (l *lander) updateCheckout(ctx context.Context) error {
	checkout := l.checkout()
	if checkout == nil {
		return nil
	}
	files, err := l.files(ctx)
	if err != nil {
		return err
	}
	done, err := l.indexIsNew(ctx, checkout, files)
	if err != nil {
		return err
	}
	if !done {
		if err := l.restore(ctx, checkout); err != nil {
			return err
		}
		l.p.Step("landing:restored")
		if err := l.copyIndex(ctx, checkout); err != nil {
			return err
		}
		if err := checkout.UpdateCheckout(ctx, l.indexCopy(checkout), l.journal.Old, l.journal.New, git.ForReal); err != nil {
			return errors.Join(ErrRefused, err)
		}
		l.p.Step("landing:files")
		if err := os.Chmod(l.indexCopy(checkout), 0o644); err != nil {
			return fmt.Errorf("put index in place: %w", err)
		}
		if err := os.Rename(l.indexCopy(checkout), checkout.IndexPath()); err != nil {
			return fmt.Errorf("put index in place: %w", err)
		}
		l.p.Step("landing:index")
	}
	return checkout.UnlockIndex(l.mark())
}

// indexIsNew says whether the real index shows the new tree for all files of the landing: the checkout was finished before a crash.
func (l *lander) indexIsNew(ctx context.Context, checkout *git.Repo, files []change.File) (bool, error) {
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	entries, err := checkout.IndexEntries(ctx, checkout.IndexPath(), paths)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		entry, found := entries[f.Path]
		if found != (f.NewMode != 0) || found && entry.ID != f.NewID {
			return false, nil
		}
	}
	return len(files) > 0, nil
}

// restore puts the files of the landing back to the old tree where git had written the new content, all of it or its beginning, before it was killed.
// A file that holds anything else is a person's edit: then nothing is touched and the paths are named.
func (l *lander) restore(ctx context.Context, checkout *git.Repo) error {
	files, err := l.files(ctx)
	if err != nil {
		return err
	}
	staged, err := checkout.IndexEntries(ctx, checkout.IndexPath(), change.Set{Files: files}.Paths())
	if err != nil {
		return err
	}
	var back, away, foreign []string
	for _, f := range files {
		if staged[f.Path].ID != "" && staged[f.Path].ID != f.OldID {
			continue // the person staged something else; what git wrote is not there
		}
		content, err := l.look(ctx, checkout, f)
		if err != nil {
			return err
		}
		switch {
		case content == holdsOld || content == holdsNothing && f.OldMode == 0:
		case content == holdsOther:
			foreign = append(foreign, f.Path)
		case f.OldMode == 0:
			away = append(away, f.Path)
		default:
			back = append(back, f.Path)
		}
	}
	if len(foreign) > 0 {
		return errors.Join(ErrRefused, &git.BlockedError{Worktree: checkout.Worktree, Paths: foreign})
	}
	for _, path := range away {
		if err := os.Remove(filepath.Join(checkout.Worktree, filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("take %q back: %w", path, err)
		}
	}
	if len(back) == 0 {
		return nil
	}
	if err := l.copyIndex(ctx, checkout); err != nil {
		return err
	}
	return checkout.RestorePaths(ctx, l.indexCopy(checkout), back)
}

type holding int

const (
	holdsNothing holding = iota
	holdsOld
	holdsNew // all of the new content, or a beginning of it
	holdsOther
)

// look says what a file of the landing holds in the checkout.
func (l *lander) look(ctx context.Context, checkout *git.Repo, f change.File) (holding, error) {
	path := filepath.Join(checkout.Worktree, filepath.FromSlash(f.Path))
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err != nil && errors.Is(err, errNotFolder) {
		return holdsNothing, nil
	}
	if err != nil {
		return holdsOther, fmt.Errorf("look at %q: %w", f.Path, err)
	}
	var id string
	var data []byte
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return holdsOther, fmt.Errorf("look at %q: %w", f.Path, err)
		}
		data = []byte(target)
		if id, err = checkout.HashBytes(ctx, data); err != nil {
			return holdsOther, err
		}
	case info.IsDir():
		return holdsNothing, nil // a folder in place of the file: its files are looked at by their own paths
	default:
		ids, err := checkout.HashFiles(ctx, []string{f.Path})
		if err != nil {
			return holdsOther, err
		}
		id = ids[0]
		if data, err = os.ReadFile(path); err != nil {
			return holdsOther, fmt.Errorf("look at %q: %w", f.Path, err)
		}
	}
	if id == f.OldID {
		return holdsOld, nil
	}
	if id == f.NewID || l.beginsNew(ctx, f, data) {
		return holdsNew, nil
	}
	return holdsOther, nil
}

func (l *lander) beginsNew(ctx context.Context, f change.File, data []byte) bool {
	if f.NewMode == 0 || f.NewMode == 0o160000 {
		return false
	}
	whole, err := l.p.Repo.Blob(ctx, f.NewID)
	return err == nil && bytes.HasPrefix(whole, data)
}

// untracked lists files in the checkout that are in no commit and lie where the landing puts a new file, ignored ones too.
func untracked(ctx context.Context, checkout *git.Repo, old string, files []change.File) ([]string, error) {
	tracked, err := checkout.Files(ctx, old)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, path := range tracked {
		known[path] = true
	}
	var inWay []string
	for _, f := range files {
		if f.OldMode != 0 || f.NewMode == 0 {
			continue
		}
		found, err := untrackedAt(checkout.Worktree, f.Path, known)
		if err != nil {
			return nil, err
		}
		inWay = append(inWay, found...)
	}
	slices.Sort(inWay)
	return slices.Compact(inWay), nil
}

// untrackedAt looks at the place of a new file: something there, something inside a folder there, or a file where one of its folders should be.
func untrackedAt(root, path string, known map[string]bool) ([]string, error) {
	for at := filepath.ToSlash(filepath.Dir(path)); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(at)))
		if err == nil && !info.IsDir() && !known[at] {
			return []string{at}, nil
		}
	}
	full := filepath.Join(root, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil {
		return nil, nil //nolint:nilerr // nothing there that could be lost
	}
	if !info.IsDir() {
		return []string{path}, nil
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

func orElse(text, other string) string {
	if strings.TrimSpace(text) == "" {
		return other
	}
	return text
}
