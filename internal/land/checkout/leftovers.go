package checkout

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
	"delegate/scope"
)

// clear takes away what a killed git wrote of the move: files with the new content, all of it or its beginning.
// Git then takes them for missing and writes them again. A place that holds anything else holds a person's edit:
// then nothing is touched and the paths are named.
func (m *Move) clear(ctx context.Context) error {
	left, err := m.leftovers(ctx)
	if err != nil {
		return err
	}
	if len(left.others) > 0 {
		return m.refused(left.others)
	}
	for _, path := range left.written {
		full := filepath.Join(m.repo.Worktree, filepath.FromSlash(path))
		if err := os.Remove(full); err != nil {
			return fmt.Errorf("take %q back: %w", path, err)
		}
		for dir := filepath.Dir(full); dir != m.repo.Worktree && os.Remove(dir) == nil; {
			dir = filepath.Dir(dir) // only an empty folder goes, as git would have it
		}
	}
	for _, f := range m.files {
		if f.OldMode != 0 && f.OldMode != change.ModeSubmodule && barrier(m.repo.Worktree, f.Path) == "" {
			removeEmpty(filepath.Join(m.repo.Worktree, filepath.FromSlash(f.Path)))
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
	others  []string // a person's
}

func (m *Move) leftovers(ctx context.Context) (leftovers, error) {
	var left leftovers
	ids, err := m.hashed(ctx)
	if err != nil {
		return left, err
	}
	for _, f := range m.files {
		content, err := m.look(ctx, f, ids[f.Path])
		if err != nil {
			return left, err
		}
		switch content {
		case holdsNew, holdsPart:
			left.written = append(left.written, f.Path)
		case holdsOther:
			left.others = append(left.others, f.Path)
		case holdsNothing:
			if f.OldMode != 0 {
				left.missing = append(left.missing, f.Path)
			}
		}
	}
	inWay, err := m.inTheWay(ctx)
	if err != nil {
		return left, err
	}
	for _, path := range inWay {
		if !slices.Contains(left.written, path) && !slices.Contains(left.others, path) {
			left.others = append(left.others, path)
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
func (m *Move) hashed(ctx context.Context) (map[string]string, error) {
	var paths []string
	for _, f := range m.files {
		if barrier(m.repo.Worktree, f.Path) == "" {
			paths = append(paths, f.Path)
		}
	}
	all, err := m.repo.HashFiles(ctx, paths)
	ids := make(map[string]string, len(all))
	for i, id := range all {
		ids[paths[i]] = id
	}
	return ids, err
}

// look says what a file of the move holds in the checkout; id is that of what is there.
func (m *Move) look(ctx context.Context, f change.File, id string) (holding, error) {
	path := filepath.Join(m.repo.Worktree, filepath.FromSlash(f.Path))
	if barrier(m.repo.Worktree, f.Path) != "" {
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
	isOld := id == f.OldID && link == (f.OldMode == change.ModeSymlink)
	isNew := id == f.NewID && link == (f.NewMode == change.ModeSymlink)
	if isOld && isNew { // only the mode changes
		isNew = (f.NewMode == change.ModeExecutable) == (info.Mode()&0o100 != 0)
		isOld = !isNew
	}
	switch {
	case isOld:
		return holdsOld, nil
	case isNew:
		return holdsNew, nil
	case !link && m.beginsNew(ctx, f, data):
		return holdsPart, nil
	}
	return holdsOther, nil
}

// beginsNew passes over zeros at the end, which some file systems show in place of what a power cut took.
func (m *Move) beginsNew(ctx context.Context, f change.File, data []byte) bool {
	if f.NewMode == 0 || f.NewMode == change.ModeSubmodule || f.NewMode == change.ModeSymlink {
		return false
	}
	whole, err := m.repo.Blob(ctx, f.NewID)
	return err == nil && bytes.HasPrefix(whole, bytes.TrimRight(data, "\x00"))
}

// edited lists files of the checkout that differ from its index among those of the move.
func (m *Move) edited(ctx context.Context) ([]string, error) {
	entries, err := m.repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if e.Code[1] == ' ' {
			continue // staged only: the index tells more about it than HEAD does in the middle of a landing
		}
		for _, f := range m.files {
			if scope.Within(e.Path, f.Path) || scope.Within(f.Path, e.Path) {
				found = append(found, e.Path)
			}
		}
	}
	return found, nil
}

// inTheWay lists what is in no commit and lies where the move writes a file, ignored files too,
// and what stands in place of a folder that the move writes or deletes in.
func (m *Move) inTheWay(ctx context.Context) ([]string, error) {
	var odd []string // what lies there as no file of From does, unless From has it
	for _, f := range m.files {
		if at := barrier(m.repo.Worktree, f.Path); at != "" {
			odd = append(odd, at)
			continue
		}
		if f.OldMode == change.ModeSubmodule && f.NewMode == 0 {
			continue // git leaves a submodule's folder where it is
		}
		found, err := inPlace(m.repo.Worktree, f)
		if err != nil {
			return nil, err
		}
		odd = append(odd, found...)
	}
	if len(odd) == 0 {
		return nil, nil
	}
	tracked, err := m.repo.Files(ctx, m.From)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, path := range tracked {
		known[path] = true
	}
	slices.Sort(odd)
	return slices.DeleteFunc(slices.Compact(odd), func(path string) bool { return known[path] }), nil
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

// inPlace are the files at the place of a file: something there although the file is new, or all that is in a
// folder there.
func inPlace(root string, f change.File) ([]string, error) {
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
		found = append(found, filepath.ToSlash(relative))
		return nil
	})
	return found, err
}
