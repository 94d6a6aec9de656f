// Package worktree creates, lists and removes the git worktrees of a repository, and computes what changed between two
// of its commits.
//
//	r, err := worktree.Open(ctx, "/home/pat/project")
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	w, err := r.Create(ctx, "/home/pat/project-topic", "topic", "main") // git worktree add -b topic … main
//
// The package runs the git program, version 2.39 or newer, for everything that writes. It reads trees and blobs in this
// process, without a git process for each.
package worktree

import (
	"context"
	"errors"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/intake/takeover"
)

// ErrGone means that a worktree does not exist: its folder is missing, or git has no entry for that folder.
var ErrGone = takeover.ErrGone

// ExistsError means that Create found the folder or the branch in use. Create changed nothing.
type ExistsError struct {
	What string // "folder" or "branch"
	Name string // the path of the folder, or the short name of the branch
}

// Error says which folder or branch exists.
func (e *ExistsError) Error() string {
	return (&takeover.ExistsError{What: e.What, Name: e.Name}).Error()
}

// Repository is an open git repository. Its methods must not be called concurrently; several Repository values for the
// same repository, also in several processes, can be used at the same time.
type Repository struct {
	repo    *git.Repo
	objects *objects.Reader
}

// Open opens the repository that contains the folder, which can be any of its worktrees or a folder inside of one.
// It returns an error if there is none, or if the repository is bare. The caller must call Close.
func Open(ctx context.Context, folder string) (*Repository, error) {
	repo, err := git.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &Repository{repo: repo, objects: objects.New(repo)}, nil
}

// Close closes the open files and ends the git processes of r. The file systems that Changes returned cannot be read
// afterwards.
func (r *Repository) Close() error { return r.objects.Close() }

// Worktree is one checkout of a repository: the main one, or one that "git worktree add" made.
type Worktree struct {
	Path   string // absolute path of its folder
	Branch string // short name of the branch that is checked out, such as "topic"; "" if HEAD is detached
	Commit string // full object id of HEAD; "" if the branch has no commit yet
}

// Create makes a worktree at path, which must be absolute, with a new branch checked out in it. The branch starts at
// commit, which can be any revision that git can resolve to a commit.
//
// Create can be repeated after an interruption: it uses a branch that exists and is at commit, completes an unfinished
// worktree, and returns a finished one with that path and branch. A branch at another commit, or a folder with other
// contents, is an *ExistsError.
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

// List returns every worktree whose folder exists, the main one first. A bare repository is not one of them.
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

// Remove deletes the worktree at path with all files in it, also those that are not committed. The branch remains.
// The error wraps ErrGone if there is no such worktree. A locked worktree is not removed, and is an error.
func (r *Repository) Remove(ctx context.Context, path string) error {
	if _, err := takeover.Open(r.repo, path, ""); err != nil {
		return err
	}
	return r.repo.RemoveWorktree(ctx, path)
}

// Changes compares two commits, given as revisions, and returns the files that differ, renames detected. The line
// counts of the files are not filled in; change.Count computes them. The BaseFS and HeadFS of the result read from
// the repository, so they work until ctx is cancelled or r is closed.
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
