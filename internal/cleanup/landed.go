package cleanup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// place is a branch in which work counts as landed, and its tip.
type place struct{ name, tip string }

// removable says whether the worktree of an agent that is MERGED can go: its work is in one of the places as they are
// now, and nothing was added to it since. The registry's word that it landed is not enough, a person may
// have reset the target. Where somebody uses what would go, it says so: *InUseError.
func removable(ctx context.Context, p *project.Project, session string, a registry.Agent, in []place) (bool, error) {
	snap, err := p.TakeHead(ctx, session, a, takeover.ForALook)
	if errors.Is(err, takeover.ErrGone) {
		return false, nil
	}
	if err != nil || snap.Incomplete != "" {
		return false, err
	}
	landed, err := landedIn(ctx, p, a, snap.Head, in)
	if err != nil || landed == "" {
		return false, err
	}
	err = errors.Join(noSubmodule(ctx, p, a), onlyItsOwn(ctx, p, a))
	return err == nil, err
}

// InUseError says why landed work stays: its worktree or its branch is needed.
type InUseError struct{ Why string }

func (e *InUseError) Error() string { return e.Why }

// noSubmodule is an *InUseError where an agent's worktree holds files of a submodule: its files, commits and stashes
// are in no head, and would go with it.
func noSubmodule(ctx context.Context, p *project.Project, a registry.Agent) error {
	path, err := p.Submodule(ctx, a.Head, a.Worktree)
	if err == nil && path != "" {
		err = &InUseError{fmt.Sprintf("the submodule %q is checked out in it, and only you can tell whether something "+
			"in there is needed", path)}
	}
	return err
}

// onlyItsOwn is an *InUseError where a worktree other than the agent's has its branch checked out: without the branch
// that one would be at no commit at all.
func onlyItsOwn(ctx context.Context, p *project.Project, a registry.Agent) error {
	trees, err := p.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	if path := checkedOut(p, trees, a.Branch, a.Worktree); path != "" && !samePath(path, a.Worktree) {
		err = &InUseError{fmt.Sprintf("its branch is checked out in %s; switch to another branch there, then delegate "+
			"clean", path)}
	}
	return err
}

// checkedOut is the worktree that has a branch checked out, "" for none: of several one that is no agent's, or at least
// not the agent's own.
func checkedOut(p *project.Project, trees []git.Worktree, branch, own string) string {
	found := ""
	for _, t := range trees {
		if t.Branch != "refs/heads/"+branch || t.Prunable {
			continue
		}
		if found == "" || samePath(found, own) || isOurs(p, found) && !samePath(t.Path, own) {
			found = t.Path
		}
	}
	return found
}

// samePath says whether two paths are one, or lead to one folder.
func samePath(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return a == b || err == nil && otherErr == nil && os.SameFile(one, other)
}

// landedIn names the first of the places that has a commit of an agent's work: as itself, or by what a squash or
// rebase made of it. It is "" for none.
func landedIn(ctx context.Context, p *project.Project, a registry.Agent, commit string, in []place) (string, error) {
	if a.RolledBack != "" {
		return "", nil // history has it, and a later commit took it back
	}
	name, err := within(ctx, p, commit, in)
	if err != nil || name != "" || a.MergeCommit == "" || a.Head == "" {
		return name, err
	}
	if inside, err := p.Repo.IsAncestor(ctx, commit, a.Head); err != nil || !inside {
		return "", err
	}
	return within(ctx, p, a.MergeCommit, in)
}

// within names the first of the places whose history has the commit, "" for none.
func within(ctx context.Context, p *project.Project, commit string, in []place) (string, error) {
	for _, at := range in {
		if inside, err := p.Repo.IsAncestor(ctx, commit, at.tip); err != nil {
			return "", err
		} else if inside {
			return at.name, nil
		}
	}
	return "", nil
}

// sawTheHead reports whether a commit that a reference of this program's holds has the files of an agent's head on top
// of what that has as well: a look at the worktree just before the turn ended makes the same commit at another second.
func sawTheHead(ctx context.Context, p *project.Project, a registry.Agent, commit string) (bool, error) {
	if a.Head == "" {
		return false, nil
	}
	seen, err := p.Repo.TreeOf(ctx, commit)
	if err != nil {
		return false, err
	}
	tree, err := p.Repo.TreeOf(ctx, a.Head)
	if err != nil || seen != tree {
		return false, err
	}
	parents, err := p.Repo.Parents(ctx, commit)
	if err != nil || len(parents) == 0 {
		return false, err
	}
	return p.Repo.IsAncestor(ctx, parents[0], a.Head)
}

// Ignored lists the files and folders in an agent's worktree that git ignores and that go with it.
// It leaves out what loses nothing: folders without a file, which a fence may have made, and files
// that the main checkout has just so.
func Ignored(ctx context.Context, p *project.Project, a registry.Agent) ([]string, error) {
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if errors.Is(err, takeover.ErrGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if checkout.Repo.OnlyHas(ctx, a.Head) {
		return nil, nil
	}
	paths, err := checkout.Repo.Ignored(ctx)
	return slices.DeleteFunc(paths, func(path string) bool {
		return worthless(filepath.Join(a.Worktree, path), filepath.Join(p.Main, path))
	}), err
}

// worthless reports whether a file or folder can go without a loss: it is a folder with no file in
// it, or the same file as the other one. What cannot be read may be something.
func worthless(path, other string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				err = fs.ErrExist
			}
			return err
		}) == nil
	}
	kept, err := os.Lstat(other)
	const most = 1 << 20 // of a file that is worth a comparison
	if err != nil || !info.Mode().IsRegular() || !kept.Mode().IsRegular() || info.Size() != kept.Size() ||
		info.Size() > most {
		return false
	}
	own, ownErr := os.ReadFile(path)
	theirs, keptErr := os.ReadFile(other)
	return ownErr == nil && keptErr == nil && bytes.Equal(own, theirs)
}
