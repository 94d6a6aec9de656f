package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/lazyregexp"
)

// AddWorktree makes a checkout of commit on a new branch, without a commit on a branch that exists already. It fails,
// changing nothing, if the folder exists, or the branch that is to be new. It writes.
func (r *Repo) AddWorktree(ctx context.Context, path, branch, commit string) error {
	switch {
	case commit == "":
		return r.addByGit(ctx, path, path, branch)
	case !isFullID(commit) || !r.addsPlainly(ctx, path):
		return r.addByGit(ctx, path, "--no-track", "-b", branch, path, commit)
	}
	if err := r.checkFree(path); err != nil {
		return err
	}
	ref := "refs/heads/" + branch
	if err := r.UpdateRefs(ctx, "branch: Created from "+commit, RefUpdate{Ref: ref, New: commit}); err != nil {
		return fmt.Errorf("add worktree %q: %w", path, err)
	}
	return r.addPlain(ctx, path, "ref: "+ref, commit)
}

// AddDetachedWorktree makes a checkout of commit without a branch. It writes.
func (r *Repo) AddDetachedWorktree(ctx context.Context, path, commit string) error {
	if !isFullID(commit) || !r.addsPlainly(ctx, path) {
		return r.addByGit(ctx, path, "--detach", path, commit)
	}
	if err := r.checkFree(path); err != nil {
		return err
	}
	return r.addPlain(ctx, path, commit, commit)
}

// addByGit takes four processes, since git starts others for the branch, HEAD and the files.
func (r *Repo) addByGit(ctx context.Context, path string, args ...string) error {
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

// addsPlainly says that a new checkout is nothing but its files and those by which it and the repository find each
// other, all of them as git has written them in every version. Else git makes it.
func (r *Repo) addsPlainly(ctx context.Context, path string) bool {
	name := filepath.Base(path)
	if !filepath.IsAbs(path) || r.Quarantined() || !r.LooseRefs() || !plainName.MatchString(name) ||
		strings.HasSuffix(name, ".lock") || isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return false
	}
	found, err := r.matching(ctx,
		`^(extensions\..*|worktree\..*|core\.(bare|worktree|sparsecheckout|sharedrepository))$`)
	for _, s := range found {
		if s.key != "core.bare" || s.value != "false" {
			return false
		}
	}
	return err == nil
}

// checkFree is an error where something is at the path already.
func (r *Repo) checkFree(path string) error {
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fs.ErrExist
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return wrap(err, "add worktree %q", path)
}

// addPlain makes the checkout in the order of git: until its files are all there, its folder in the repository holds
// the note by which Unfinished knows it. What it made goes again where it fails.
func (r *Repo) addPlain(ctx context.Context, path, head, commit string) (err error) {
	defer func() { err = wrap(err, "add worktree %q", path) }()
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	own, err := r.makeEntry(filepath.Base(path))
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	note := filepath.Join(own, "locked")
	if err = writeEntry(own, path, head, unfinished); err == nil {
		err = r.shareFiles(ctx, path, filepath.Join(own, "index"))
	}
	if err == nil {
		_, err = r.At(own, path).do(ctx, call{bound: true, args: []string{"read-tree", "--reset", "-u", commit}})
	}
	if err == nil {
		return os.Remove(note)
	}
	return errors.Join(err, atomicfile.RemoveTree(path), atomicfile.RemoveTree(own))
}

// AdoptWorktree makes git's entry again for a checkout of a branch whose files are there. They stay as they are, and
// the index is that of the branch. It writes.
func (r *Repo) AdoptWorktree(ctx context.Context, path, branch string) (err error) {
	defer func() { err = wrap(err, "adopt worktree %q", path) }()
	pointer := filepath.Join(path, ".git")
	if info, err := os.Lstat(pointer); err == nil {
		target, err := os.ReadFile(pointer)
		ours := "gitdir: " + filepath.Join(r.CommonDir, "worktrees") + "/"
		if err != nil || !info.Mode().IsRegular() || !strings.HasPrefix(string(target), ours) {
			return fmt.Errorf("%q is not of a worktree of this repository: move it away", pointer)
		}
	}
	own, err := r.makeEntry(filepath.Base(path))
	if err != nil {
		return err
	}
	const restoring = "its entry is being restored" // another note than that of a checkout without anybody's files
	if err := writeEntry(own, path, "ref: refs/heads/"+branch, restoring); err != nil {
		return errors.Join(err, atomicfile.RemoveTree(own))
	}
	return errors.Join(r.At(own, path).ResetIndex(ctx, "HEAD"), os.Remove(filepath.Join(own, "locked")))
}

// makeEntry makes the folder that the repository keeps for a checkout, by a free name.
func (r *Repo) makeEntry(name string) (string, error) {
	all := filepath.Join(r.CommonDir, "worktrees")
	if err := os.MkdirAll(all, 0o777); err != nil {
		return "", err
	}
	at := filepath.Join(all, name)
	for n := range mostAlike {
		if err := os.Mkdir(at, 0o777); !errors.Is(err, fs.ErrExist) {
			return at, err
		}
		at = filepath.Join(all, name+strconv.Itoa(n+1))
	}
	return "", fmt.Errorf("%d checkouts are called %q: %w", mostAlike, name, fs.ErrExist)
}

// mostAlike is how many checkouts may have folders of one name.
const mostAlike = 10_000

// writeEntry writes what ties a checkout to the repository: first the note, and last what the checkout has of it. So
// whatever is cut off is nothing to git, or is known by the note. What HEAD says is on the disk, as with git.
func writeEntry(own, path, head, note string) error {
	write := func(file, text string) error { return os.WriteFile(file, []byte(text+"\n"), 0o666) }
	if err := errors.Join(write(filepath.Join(own, "locked"), note),
		write(filepath.Join(own, "commondir"), "../.."),
		atomicfile.WriteFile(filepath.Join(own, "HEAD"), []byte(head+"\n"), 0o644)); err != nil {
		return err
	}
	if err := write(filepath.Join(own, "gitdir"), filepath.Join(path, ".git")); err != nil {
		return err
	}
	return write(filepath.Join(path, ".git"), "gitdir: "+own)
}

// plainName is a part of a reference's name, or the name of a folder, that git takes as it is.
var plainName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
