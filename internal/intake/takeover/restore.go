package takeover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/git"
)

// ErrNotMissing says that a checkout needs no restoring.
var ErrNotMissing = errors.New("nothing of it is missing")

// MovedError says that the branch of a checkout that is missing is checked out in another folder; nothing was changed.
type MovedError struct{ Branch, Path, Want string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("its branch %s is checked out in %q", e.Branch, e.Path)
}

// Restore makes a checkout again that is missing, or whose `.git` or entry in git's list is missing; ErrNotMissing if
// nothing is. Files that are there stay as they are. A new folder gets those of the commit, and the branch is moved
// there where it is behind; where it is ahead, the folder gets what the branch has. A branch with other commits is an
// *ExistsError, and one that is checked out elsewhere a *MovedError.
func Restore(ctx context.Context, repo *git.Repo, r Request) (*Checkout, error) {
	made, err := Open(repo, r.Path, r.Branch)
	switch {
	case err == nil && !there(filepath.Join(r.Path, ".git")) && hasFiles(r.Path):
		return made, made.Repo.RepairPointer()
	case err == nil && !there(filepath.Join(r.Path, ".git")): // emptied: its files are missing as well
		if err := os.Remove(r.Path); err != nil {
			return nil, err
		}
	case err == nil:
		return made, cmp.Or(made.Repo.CheckPointers(), ErrNotMissing)
	case !errors.Is(err, ErrGone):
		return nil, err
	}
	if err := repo.DropAdopted(ctx, r.Path); err != nil {
		return nil, err
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	ref := "refs/heads/" + r.Branch
	for _, w := range all {
		if w.Branch == ref && !w.Prunable {
			return nil, &MovedError{Branch: r.Branch, Path: w.Path, Want: r.Path}
		}
	}
	tip, found, err := repo.Ref(ctx, ref)
	if err != nil {
		return nil, err
	}
	if hasFiles(r.Path) {
		if !found {
			err = repo.UpdateRefs(ctx, "delegate: restored", git.RefUpdate{Ref: ref, New: r.Commit})
		}
		if err = errors.Join(err, repo.AdoptWorktree(ctx, r.Path, r.Branch)); err != nil {
			return nil, err
		}
		return Open(repo, r.Path, r.Branch)
	}
	if found {
		if r.Commit, err = bringBranch(ctx, repo, git.RefUpdate{Ref: ref, Old: tip, New: r.Commit}); err != nil {
			return nil, err
		}
	}
	return Create(ctx, repo, r)
}

// hasFiles reports whether a folder is there, which is no link, and holds something.
func hasFiles(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) > 0
}

// bringBranch moves a branch forward and answers with where it is then: it can be ahead already. One that has commits
// of its own stays, and is for Create to refuse.
func bringBranch(ctx context.Context, repo *git.Repo, u git.RefUpdate) (string, error) {
	if ahead, err := repo.IsAncestor(ctx, u.New, u.Old); err != nil || ahead {
		return u.Old, err
	}
	behind, err := repo.IsAncestor(ctx, u.Old, u.New)
	if err == nil && behind {
		err = repo.UpdateRefs(ctx, "delegate: restored", u)
	}
	return u.New, err
}
