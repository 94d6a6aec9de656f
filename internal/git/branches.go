package git

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
)

// Branches are the checkouts as Worktrees lists them, without their commits.
func (r *Repo) Branches(ctx context.Context) ([]Worktree, error) {
	if all, ok := r.plainBranches(ctx); ok {
		return all, nil
	}
	all, err := r.Worktrees(ctx)
	for i := range all {
		all[i].Head = ""
	}
	return all, err
}

// plainBranches are they where the repository and its checkouts lie as git makes them and all are there; false where
// git has to look.
func (r *Repo) plainBranches(ctx context.Context) ([]Worktree, bool) {
	c, err := r.configuration(ctx)
	real, realErr := filepath.EvalSymlinks(r.CommonDir)
	main, usual := strings.CutSuffix(filepath.ToSlash(real), "/.git")
	elsewhere := slices.ContainsFunc(c.settings, func(s setting) bool {
		return s.key == "core.worktree" || s.key == "core.bare" && s.value != "false"
	})
	if errors.Join(err, realErr) != nil || !usual || main == "" || elsewhere {
		return nil, false
	}
	branch, ok := r.branchOf(r.CommonDir)
	if !ok {
		return nil, false
	}
	entries, err := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	var linked []Worktree
	for _, e := range entries {
		own := filepath.Join(r.CommonDir, "worktrees", e.Name())
		to, found := pointer(filepath.Join(own, "gitdir"))
		path, named := strings.CutSuffix(to, "/.git")
		branch, ok := r.branchOf(own)
		if !found || !named || !filepath.IsAbs(path) || path != filepath.Clean(path) || !isThere(to) || !ok {
			return nil, false
		}
		linked = append(linked, Worktree{Path: path, Branch: branch})
	}
	slices.SortFunc(linked, func(a, b Worktree) int { return cmp.Compare(a.Path, b.Path) })
	return append([]Worktree{{Path: main, Branch: branch}}, linked...), true
}

// branchOf is the branch that a checkout with this git folder is on, "" where its HEAD is a commit.
func (r *Repo) branchOf(gitDir string) (branch string, ok bool) {
	head := filepath.Join(gitDir, "HEAD")
	if !r.LooseRefs() {
		return "", false
	}
	branch = r.refOf(head)
	return branch, branch != "" || isDetached(head)
}

// isDetached reports whether a HEAD is a commit by itself.
func isDetached(head string) bool {
	info, err := os.Lstat(head)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := atomicfile.ReadRegular(head, mostOfRef)
	return err == nil && isFullID(strings.TrimSuffix(string(data), "\n"))
}
