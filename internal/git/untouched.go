package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"delegate/change"
	"delegate/internal/run"
)

// Untouched reports whether the checkout has each of the files that a change begins from, and nothing where it makes
// one, by the times that an index of it knows: so git has nothing to refuse where it makes the change by that
// index. False says only that git has to look. No file is opened but the index.
func (r *Repo) Untouched(file string, files []change.File) bool {
	if isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return false
	}
	idx, written, err := readIndex(file)
	if err != nil {
		return false
	}
	staged, folders := make(map[string]*index.Entry, len(idx.Entries)), map[string]bool{}
	for _, e := range idx.Entries {
		if e.Stage != 0 {
			return false // git changes nothing before a merge is over
		}
		staged[e.Name] = e
		for at := above(e.Name); at != "" && !folders[at]; at = above(at) {
			folders[at] = true
		}
	}
	return !slices.ContainsFunc(entries(files), func(f change.File) bool {
		if !r.onlyFolders(f.Path) || f.NewMode == change.ModeSubmodule {
			return true
		}
		full, e := filepath.Join(r.Worktree, filepath.FromSlash(f.Path)), staged[f.Path]
		if f.OldMode != 0 {
			return e == nil || e.SkipWorktree || e.IntentToAdd || uint32(e.Mode) != f.OldMode ||
				e.Hash.String() != f.OldID || !isAsIndexed(full, *e, written)
		}
		for at := above(f.Path); at != ""; at = above(at) {
			if staged[at] != nil {
				return true
			}
		}
		_, err := os.Lstat(full)
		return e != nil || folders[f.Path] || !errors.Is(err, fs.ErrNotExist)
	})
}

// above is the folder that a path lies in, "" at the top.
func above(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// onlyFolders reports whether all that is there on the way to a path are folders; a link to one is none.
func (r *Repo) onlyFolders(path string) bool {
	at := r.Worktree
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return true
		}
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// HiddenEditError lists edited files in a checkout that stand in the way of an update, and in which git was told to
// look for no edits; nothing was changed.
type HiddenEditError struct {
	Worktree         string
	Assumed, Skipped []string // by assume-unchanged, and by skip-worktree
}

func (e *HiddenEditError) Error() string {
	return fmt.Sprintf("edits of yours in %s that git status passes over (assume-unchanged, skip-worktree) stand in "+
		"the way: %s", e.Worktree, strings.Join(slices.Concat(e.Assumed, e.Skipped), ", "))
}

// Next has git look at the files again.
func (e *HiddenEditError) Next() string {
	var commands []string
	for _, path := range e.Assumed {
		commands = append(commands, "git update-index --no-assume-unchanged "+run.Quote(path))
	}
	for _, path := range e.Skipped {
		commands = append(commands, "git update-index --no-skip-worktree "+run.Quote(path))
	}
	return strings.Join(commands, "; ")
}

// HiddenEdits are those of the paths in which git was told to look for no edits, nil for none.
func (r *Repo) HiddenEdits(ctx context.Context, index string, paths []string) (*HiddenEditError, error) {
	out, err := r.do(ctx, call{args: []string{"ls-files", "-z", "-v", "--full-name"},
		env: []string{"GIT_INDEX_FILE=" + index}, reads: true})
	if err != nil {
		return nil, fmt.Errorf("read index of %q: %w", r.Worktree, err)
	}
	e := &HiddenEditError{Worktree: r.Worktree}
	for _, line := range fields(out) {
		tag, path, _ := strings.Cut(line, " ")
		if !slices.Contains(paths, path) {
			continue
		}
		if tag != strings.ToUpper(tag) {
			e.Assumed = append(e.Assumed, path)
		}
		if strings.EqualFold(tag, "s") {
			e.Skipped = append(e.Skipped, path)
		}
	}
	if len(e.Assumed)+len(e.Skipped) == 0 {
		return nil, nil
	}
	return e, nil
}
