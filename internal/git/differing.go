package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Differing are the paths of the checkout's files that are not as the commit has them: changed,
// missing, or new and not ignored. A repository inside the checkout is one path with a slash at its
// end. Only names are asked for: it reads the content of a file that was touched, hashes nothing
// that is new, and writes no object. index is a file of its own that is made for this commit at the
// first call and kept; one that is there is taken to be of this commit. The checkout's index is not
// touched and not asked. No other process may use the file meanwhile.
func (r *Repo) Differing(ctx context.Context, index, commit string) ([]string, error) {
	if _, err := os.Stat(index); errors.Is(err, fs.ErrNotExist) {
		if err := r.makeIndex(ctx, index, commit); err != nil {
			return nil, fmt.Errorf("look at %q: %w", r.Worktree, err)
		}
	}
	args := []string{"ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"}
	out, err := r.do(ctx, call{args: args, env: []string{"GIT_INDEX_FILE=" + index}, reads: true})
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", r.Worktree, err)
	}
	paths := fields(out)
	slices.Sort(paths) // what is missing is named as modified too
	return slices.Compact(paths), nil
}

// makeIndex makes an index of the commit that knows the times of the checkout's files. Only a whole one gets the name.
func (r *Repo) makeIndex(ctx context.Context, index, commit string) error {
	made := index + ".new"
	for _, left := range []string{made, made + ".lock"} { // by one that was killed
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := r.do(ctx, call{args: []string{"read-tree", "--reset", commit},
		env: []string{"GIT_INDEX_FILE=" + made}}); err != nil {
		return err
	}
	if err := r.RefreshIndex(ctx, made); err != nil {
		return err
	}
	return os.Rename(made, index)
}
