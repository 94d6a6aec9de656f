// Package worktree makes, lists and removes the checkouts of a repository in which several people or programs work side
// by side, and tells what changed between two commits.
//
// Everything goes through the git program, which has to be 2.39 or newer; trees are read in this process.
// What a manager of agents needs apart from that, such as taking over what an agent did, is none of
// this package's business.
package worktree

import (
	"context"
	"errors"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/takeover"
)

// ErrGone says that the folder of a worktree, or its entry in git's list, is not there any more.
var ErrGone = takeover.ErrGone

// ExistsError says that a folder or a branch that was to be made is there already; nothing was changed.
type ExistsError struct {
	What, Name string // What is "folder" or "branch"
}

func (e *ExistsError) Error() string {
	return (&takeover.ExistsError{What: e.What, Name: e.Name}).Error()
}

// Repository is a repository that has worktrees. It serves one caller at a time.
type Repository struct {
	repo    *git.Repo
	objects *objects.Reader
}

// Open finds the repository that holds the folder. Close gives its files back.
func Open(ctx context.Context, folder string) (*Repository, error) {
	repo, err := git.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &Repository{repo: repo, objects: objects.New(repo)}, nil
}

// Close gives open files and processes back.
func (r *Repository) Close() error { return r.objects.Close() }

// Worktree is one checkout of a repository.
type Worktree struct {
	Path   string
	Branch string // short name, "" if it is on none
	Commit string // full object id, "" before the first commit
}

// Create makes the folder, with a new branch at the commit checked out in it. What was left by a Create of the same
// that was cut short is taken up; anything else that exists is an *ExistsError.
func (r *Repository) Create(ctx context.Context, path, branch, commit string) (Worktree, error) {
	id, err := r.repo.Resolve(ctx, commit)
	if err != nil {
		return Worktree{}, err
	}
	made, err := takeover.Create(ctx, r.repo, takeover.Request{Path: path, Branch: branch, Commit: id})
	if exists, ok := errors.AsType[*takeover.ExistsError](err); ok {
		return Worktree{}, &ExistsError{What: exists.What, Name: exists.Name}
	}
	if err != nil {
		return Worktree{}, err
	}
	return Worktree{Path: made.Path, Branch: branch, Commit: id}, nil
}

// List is every worktree whose folder is there, the main one first.
func (r *Repository) List(ctx context.Context) ([]Worktree, error) {
	all, err := r.repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var found []Worktree
	for _, w := range all {
		if !w.Bare && !w.Prunable {
			found = append(found, Worktree{Path: w.Path, Branch: strings.TrimPrefix(w.Branch, "refs/heads/"),
				Commit: w.Head})
		}
	}
	return found, nil
}

// Remove takes a worktree's folder away, with everything in it; its branch stays. ErrGone (wrapped) if it is not there.
func (r *Repository) Remove(ctx context.Context, path string) error {
	if _, err := takeover.Open(r.repo, path, ""); err != nil {
		return err
	}
	return r.repo.RemoveWorktree(ctx, path)
}

// Changes is what happened between two commits as data, with the files of both sides readable as long as the context
// and the repository are open. Lines are not counted.
func (r *Repository) Changes(ctx context.Context, base, head string) (change.Set, error) {
	ids := make([]string, 2)
	for i, name := range []string{base, head} {
		id, err := r.repo.Resolve(ctx, name)
		if err != nil {
			return change.Set{}, err
		}
		ids[i] = id
	}
	sets, err := r.objects.Changes(ctx, []objects.Span{{Name: head, Base: ids[0], Head: ids[1]}})
	if err != nil {
		return change.Set{}, err
	}
	return sets[0], nil
}
