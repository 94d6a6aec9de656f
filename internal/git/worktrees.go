package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is one checkout of the repository as git lists it.
type Worktree struct {
	Path     string
	Head     string // commit; "" on an unborn branch
	Branch   string // full reference name, "" when detached
	Bare     bool
	Prunable bool // its folder is gone
}

// Worktrees lists the checkouts; the first is the main one (or the bare repository itself).
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.read(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	var all []Worktree
	for _, field := range fields(out) {
		key, value, _ := strings.Cut(field, " ")
		if key == "worktree" {
			all = append(all, Worktree{Path: value})
			continue
		}
		if len(all) == 0 {
			continue
		}
		at := &all[len(all)-1]
		switch key {
		case "HEAD":
			if strings.Trim(value, "0") != "" {
				at.Head = value
			}
		case "branch":
			at.Branch = value
		case "bare":
			at.Bare = true
		case "prunable":
			at.Prunable = true
		}
	}
	return all, nil
}

// OpenWorktree addresses a listed worktree by the administrative folder that git keeps for it in the common folder.
func (r *Repo) OpenWorktree(path string) (*Repo, error) {
	if same(filepath.Join(path, ".git"), r.CommonDir) {
		return r.At(r.CommonDir, path), nil
	}
	admin := filepath.Join(r.CommonDir, "worktrees")
	entries, err := os.ReadDir(admin)
	if err != nil {
		return nil, fmt.Errorf("open worktree %q: %w", path, err)
	}
	for _, e := range entries {
		pointer, err := os.ReadFile(filepath.Join(admin, e.Name(), "gitdir"))
		if err == nil && same(strings.TrimRight(string(pointer), "\n"), filepath.Join(path, ".git")) {
			return r.At(filepath.Join(admin, e.Name()), path), nil
		}
	}
	return nil, fmt.Errorf("open worktree %q: git knows no worktree there", path)
}

// same compares paths whose folders may be reached through symbolic links; the last element may be missing.
func same(a, b string) bool {
	real := func(p string) string {
		if full, err := filepath.EvalSymlinks(p); err == nil {
			return full
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			return filepath.Join(dir, filepath.Base(p))
		}
		return filepath.Clean(p)
	}
	return real(a) == real(b)
}

// AddWorktree makes a checkout of commit on a new branch. It fails, changing nothing, if the folder or the branch exists. It writes.
func (r *Repo) AddWorktree(ctx context.Context, path, branch, commit string) error {
	if _, err := r.do(ctx, call{args: []string{"worktree", "add", "--quiet", "--no-track", "-b", branch, path, commit}}); err != nil {
		return fmt.Errorf("add worktree %q: %w", path, err)
	}
	return nil
}

// AddBranchWorktree makes a checkout of a branch that exists already. It writes.
func (r *Repo) AddBranchWorktree(ctx context.Context, path, branch string) error {
	if _, err := r.do(ctx, call{args: []string{"worktree", "add", "--quiet", path, branch}}); err != nil {
		return fmt.Errorf("add worktree %q: %w", path, err)
	}
	return nil
}

// AddDetachedWorktree makes a checkout of commit without a branch. It writes.
func (r *Repo) AddDetachedWorktree(ctx context.Context, path, commit string) error {
	if _, err := r.do(ctx, call{args: []string{"worktree", "add", "--quiet", "--detach", path, commit}}); err != nil {
		return fmt.Errorf("add worktree %q: %w", path, err)
	}
	return nil
}

// RemoveWorktree removes a checkout and all files in it. Callers make sure first that nothing in it is needed. It writes.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	if _, err := r.do(ctx, call{args: []string{"worktree", "remove", "--force", path}}); err != nil {
		return fmt.Errorf("remove worktree %q: %w", path, err)
	}
	return nil
}

// SwitchDetached moves this checkout to a commit, discarding what differs and every untracked, not ignored file:
// for the scratch checkout that candidates are verified in, never for a person's or an agent's. It writes.
func (r *Repo) SwitchDetached(ctx context.Context, commit string) error {
	for _, args := range [][]string{{"checkout", "--quiet", "--force", "--detach", commit}, {"clean", "-ffdq"}} {
		if _, err := r.do(ctx, call{args: args}); err != nil {
			return fmt.Errorf("switch %q to %.12s: %w", r.Worktree, commit, err)
		}
	}
	return nil
}

// Init makes a repository with branch main in a folder that has files already, with the person as its configured identity, and commits them all. It writes.
func Init(ctx context.Context, dir string, who Person, message string) (string, error) {
	plain := &Repo{GitDir: filepath.Join(dir, ".git"), CommonDir: filepath.Join(dir, ".git"), Worktree: dir}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", who.Name},
		{"config", "user.email", who.Email},
		{"add", "--all"},
		{"-c", "commit.gpgSign=false", "commit", "--quiet", "-m", message},
	} {
		if _, err := plain.do(ctx, call{args: args}); err != nil {
			return "", fmt.Errorf("make repository %q: %w", dir, err)
		}
	}
	return plain.Resolve(ctx, "HEAD")
}
