package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
)

// AddWorktree makes a checkout of commit on a new branch, without a commit on a branch that exists already. It fails
// if the folder holds something, or if the branch that is to be new exists. Until all files are there, the checkout is
// Unfinished. It writes.
func (r *Repo) AddWorktree(ctx context.Context, path, branch, commit string) error {
	if commit == "" {
		return r.addWorktree(ctx, path, path, branch)
	}
	// Without --no-track several at once fail, each locking the configuration.
	return r.addWorktree(ctx, path, "--no-track", "-b", branch, path, commit)
}

// AddDetachedWorktree makes a checkout of commit without a branch. It writes.
func (r *Repo) AddDetachedWorktree(ctx context.Context, path, commit string) error {
	return r.addWorktree(ctx, path, "--detach", path, commit)
}

func (r *Repo) addWorktree(ctx context.Context, path string, args ...string) error {
	_, err := r.do(ctx, call{bound: true, args: append([]string{"worktree", "add", "--quiet"}, args...)})
	if err == nil {
		err = r.placeWorktree(ctx, path)
	}
	return wrap(err, "add worktree %q", path)
}

// placeWorktree has git work in a new checkout where the shared configuration says for all of them that it works
// elsewhere, or in none.
func (r *Repo) placeWorktree(ctx context.Context, path string) error {
	shared, err := r.matching(ctx, `^core\.(bare|worktree)$`)
	elsewhere := slices.ContainsFunc(shared, func(s setting) bool { return s.scope == "local" && s.value != "false" })
	if err != nil || !elsewhere {
		return err
	}
	if own, err := r.isSet(ctx, "extensions.worktreeConfig"); err != nil || !own {
		return err
	}
	at, err := r.OpenWorktree(path)
	if err != nil {
		return err
	}
	for _, setting := range [][2]string{{"core.bare", "false"}, {"core.worktree", path}} {
		_, err = at.do(ctx, call{args: []string{"config", "--worktree", setting[0], setting[1]}})
		if err != nil {
			return err
		}
	}
	return nil
}

// AdoptWorktree makes git's entry again for a checkout of a branch whose files are there. They stay as they are, and
// the index is that of the branch. git makes the entry for another folder; it is that of the checkout once it has the
// index. It writes.
func (r *Repo) AdoptWorktree(ctx context.Context, path, branch string) (err error) {
	defer func() { err = wrap(err, "adopt worktree %q", path) }()
	if err := r.dropPointer(path); err != nil {
		return err
	}
	made := restoredAt(path)
	args := []string{"worktree", "add", "--quiet", "--no-checkout", "--force", made, branch}
	if _, err = r.do(ctx, call{bound: true, args: args}); err != nil {
		return err
	}
	entry, err := r.OpenWorktree(made)
	if err != nil {
		return err
	}
	own := r.At(entry.GitDir, path)
	if err = own.ResetIndex(ctx, "HEAD"); err == nil {
		err = entry.leave()
	}
	if err == nil {
		back := filepath.Join(own.GitDir, "gitdir")
		err = atomicfile.WriteFile(back, []byte(filepath.Join(path, ".git")+"\n"), 0o644)
	}
	if err != nil {
		return errors.Join(err, r.DropAdopted(ctx, path))
	}
	return errors.Join(own.RepairPointer(), r.placeWorktree(ctx, path))
}

// dropPointer removes the `.git` file of a checkout of this repository that leads to no entry any more.
func (r *Repo) dropPointer(path string) error {
	file := filepath.Join(path, ".git")
	if !isThere(file) {
		return nil
	}
	target, _ := pointer(file)
	if !strings.HasPrefix(target, "gitdir: "+filepath.Join(r.CommonDir, "worktrees")+"/") {
		return fmt.Errorf("%q is not of a worktree of this repository: move it away", file)
	}
	return os.Remove(file)
}

// restoredAt is the folder for which AdoptWorktree has git make the entry of a checkout.
func restoredAt(path string) string { return path + ".restored" }

// DropAdopted removes what an AdoptWorktree that was cut off has left. It writes.
func (r *Repo) DropAdopted(ctx context.Context, path string) error {
	left, err := r.OpenWorktree(restoredAt(path))
	if errors.Is(err, ErrNoWorktree) {
		return nil // as usual
	}
	if err == nil {
		err = left.leave()
	}
	if err == nil {
		err = left.RemoveUnfinished(ctx)
	}
	return err
}

// leave removes the folder of a checkout in which git made no file.
func (r *Repo) leave() error {
	return errors.Join(atomicfile.RemoveFile(filepath.Join(r.Worktree, ".git")), atomicfile.RemoveFile(r.Worktree))
}
