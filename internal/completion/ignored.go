package completion

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// Ignored lists the files and folders in an agent's worktree that git ignores and that go with it.
// It leaves out what loses nothing: folders without a file, which a fence may have made, and files
// that the main checkout has just so.
func Ignored(ctx context.Context, p *project.Project, a registry.Agent) ([]string, error) {
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if errors.Is(err, takeover.ErrGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	paths, err := checkout.Repo.Ignored(ctx)
	return slices.DeleteFunc(paths, func(path string) bool {
		return worthless(filepath.Join(a.Worktree, path), filepath.Join(p.Main, path))
	}), err
}

// worthless reports whether a file or folder can go without a loss: it is a folder with no file in
// it, or the same file as the other one. What cannot be read may be something.
func worthless(path, other string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				err = fs.ErrExist
			}
			return err
		}) == nil
	}
	kept, err := os.Lstat(other)
	const most = 1 << 20 // of a file that is worth a comparison
	if err != nil || !info.Mode().IsRegular() || !kept.Mode().IsRegular() || info.Size() != kept.Size() ||
		info.Size() > most {
		return false
	}
	own, ownErr := os.ReadFile(path)
	theirs, keptErr := os.ReadFile(other)
	return ownErr == nil && keptErr == nil && bytes.Equal(own, theirs)
}
