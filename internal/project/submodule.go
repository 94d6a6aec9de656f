package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Submodule is the first submodule of a commit whose folder in a worktree is not empty, "" if there
// is none. What is in it, files as well as commits and stashes, is in nothing that this program
// keeps, and goes with the worktree. Nothing in it is asked: its settings could name programs.
func (p *Project) Submodule(ctx context.Context, commit, worktree string) (string, error) {
	entries, err := p.Repo.Entries(ctx, commit)
	if err != nil {
		return "", err
	}
	const link = 0o160000
	for _, e := range entries {
		if e.Mode != link {
			continue
		}
		inside, err := os.ReadDir(filepath.Join(worktree, filepath.FromSlash(e.Path)))
		switch {
		case len(inside) > 0:
			return e.Path, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for submodules in %q: %w", worktree, err)
		}
	}
	return "", nil
}
