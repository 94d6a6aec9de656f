package checkout

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
)

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
			if f.Path == e.Path || strings.HasPrefix(e.Path, f.Path+"/") || strings.HasPrefix(f.Path, e.Path+"/") {
				found = append(found, e.Path)
			}
		}
	}
	return found, nil
}

// inTheWay lists what is in no commit and lies where the move writes a file, ignored files too,
// and what stands in place of a folder that the move writes or deletes in.
func (m *Move) inTheWay(ctx context.Context) ([]string, error) {
	tracked, err := m.repo.Files(ctx, m.From)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, path := range tracked {
		known[path] = true
	}
	var inWay []string
	for _, f := range m.files {
		if at := barrier(m.repo.Worktree, f.Path); at != "" {
			if !known[at] {
				inWay = append(inWay, at)
			}
			continue
		}
		if f.OldMode == modeSubmodule && f.NewMode == 0 {
			continue // git leaves a submodule's folder where it is
		}
		found, err := untrackedAt(m.repo.Worktree, f, known)
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
