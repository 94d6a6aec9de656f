package git

import (
	"context"
	"fmt"
	"path/filepath"
)

// QuitUnderWay forgets the merge, rebase, cherry-pick or revert that is under way in this checkout,
// as its own --quit does:
// commits, references, index and files stay as they are. It writes.
func (r *Repo) QuitUnderWay(ctx context.Context) error {
	for r.InProgress() != "" && r.InProgress() != "bisect" {
		name := r.InProgress()
		verb := name
		if isThere(filepath.Join(r.GitDir, "rebase-apply", "applying")) &&
			!isThere(filepath.Join(r.GitDir, "rebase-merge")) {
			verb = "am"
		}
		if _, err := r.do(ctx, call{args: []string{verb, "--quit"}}); err != nil {
			return fmt.Errorf("quit the %s in %q: %w", name, r.Worktree, err)
		}
		if r.InProgress() == name {
			return fmt.Errorf("quit the %s in %q: it is still under way", name, r.Worktree)
		}
	}
	return nil
}

// Subjects are the first lines of at most most commits on the first-parent line of to that from
// does not have, newest first,
// each behind its short id, and how many there are.
func (r *Repo) Subjects(ctx context.Context, from, to string, most int) (lines []string, all int, err error) {
	lines, err = r.lines(ctx, "log", "--first-parent", "--no-show-signature", "--no-decorate", "--no-color",
		"--format=%h %s", "--end-of-options", to, "^"+from)
	if err != nil {
		return nil, 0, fmt.Errorf("list commits of %.12s: %w", to, err)
	}
	return lines[:min(len(lines), most)], len(lines), nil
}

// ResetIndex makes this checkout's index that of a commit, whatever was staged, and brings the file
// times in it up to date.
// Files are never touched. A *IndexLockedError says that somebody works on it right now. It writes.
func (r *Repo) ResetIndex(ctx context.Context, commit string) error {
	if _, err := r.do(ctx, call{args: []string{"read-tree", "--reset", commit}}); err != nil {
		if lock := r.IndexPath() + ".lock"; isThere(lock) {
			return &IndexLockedError{Path: lock}
		}
		return fmt.Errorf("take the index of %q to %.12s: %w", r.Worktree, commit, err)
	}
	return r.RefreshIndex(ctx, r.IndexPath())
}
