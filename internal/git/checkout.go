package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// IgnoredFolders are those of the folders (paths with slashes) that git ignores and that hold nothing that it tracks.
func (r *Repo) IgnoredFolders(ctx context.Context, folders []string) ([]string, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	asked := make([]string, len(folders))
	for i, f := range folders {
		asked[i] = strings.TrimSuffix(f, "/") + "/"
	}
	c := call{args: []string{"check-ignore", "-z", "--no-index", "--stdin"}, stdin: records(asked), reads: true}
	ignored, err := r.fields(ctx, c)
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	var tracked []byte
	if err == nil {
		tracked, err = r.read(ctx, append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, asked...)...)
	}
	files := fields(tracked)
	var all []string
	for _, folder := range ignored {
		if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder) }) {
			all = append(all, strings.TrimSuffix(folder, "/"))
		}
	}
	return all, wrap(err, "ask which folders are ignored")
}

// WriteOut makes the folder hold the files of a tree, for programs that read them there. The index
// of what is in it lies beside it as FOLDER.index and makes the next tree quick. Filters of the
// configuration are not run: a file that goes through one is written as it is stored. It writes
// nothing to the repository.
func (r *Repo) WriteOut(ctx context.Context, tree, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("write out %.12s: %w", tree, err)
	}
	unfiltered, err := r.disarm(ctx, `^filter\..*\.(clean|smudge|process|required)$`, "")
	if err != nil {
		return err
	}
	env := append(unfiltered, "GIT_WORK_TREE="+folder, "GIT_INDEX_FILE="+filepath.Clean(folder)+".index")
	_, err = r.do(ctx, call{args: []string{"read-tree", "--reset", "-u", tree}, env: env})
	return wrap(err, "write out %.12s", tree)
}

// SwitchDetached moves this checkout to a commit, discarding what differs and every untracked file,
// ignored ones too, which could have been made by what ran here before:
// for the scratch checkout that candidates are verified in, never for a person's or an agent's.
// The caller is its only user, so a lock on its index is one that a killed git left. It writes.
func (r *Repo) SwitchDetached(ctx context.Context, commit string) error {
	if err := os.Remove(r.IndexPath() + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("switch %q to %.12s: %w", r.Worktree, commit, err)
	}
	for _, args := range [][]string{{"checkout", "--quiet", "--force", "--detach", commit}, {"clean", "-ffdxq"}} {
		if _, err := r.do(ctx, call{args: args}); err != nil {
			return fmt.Errorf("switch %q to %.12s: %w", r.Worktree, commit, err)
		}
	}
	return nil
}

// StatusEntry is one file that differs from the last commit: its two letters as `git status --porcelain` gives them.
type StatusEntry struct {
	Code string // index and worktree letter, `??` untracked
	Path string
}

// Status lists staged, unstaged and untracked files of this checkout; ignored ones are left out.
func (r *Repo) Status(ctx context.Context) ([]StatusEntry, error) {
	// The branch is a line that a clean checkout has as well: no answer is none.
	args := []string{
		"status", "--porcelain=v1", "-z", "--branch", "--no-ahead-behind", "--no-renames", "--untracked-files=all",
	}
	out, err := r.do(ctx, call{args: args, reads: true, limit: workLimit})
	if err == nil && !bytes.HasPrefix(out, []byte("## ")) {
		err = odd(args, string(out))
	}
	if err != nil {
		return nil, fmt.Errorf("status of %q: %w", r.Worktree, err)
	}
	var all []StatusEntry
	for _, f := range fields(out)[1:] {
		if len(f) <= 3 {
			return nil, fmt.Errorf("status of %q: %w", r.Worktree, odd(args, f))
		}
		all = append(all, StatusEntry{Code: f[:2], Path: f[3:]})
	}
	return all, nil
}

// Ignored lists what git ignores in this checkout, a wholly ignored folder as one entry with a slash at its end.
func (r *Repo) Ignored(ctx context.Context) ([]string, error) {
	out, err := r.read(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	return fields(out), wrap(err, "list ignored files of %q", r.Worktree)
}

func (e *IndexLockedError) Error() string {
	return fmt.Sprintf("the index is locked by another git command (%s)", e.Path)
}

// Rehearsal chooses whether UpdateCheckout only tries.
type Rehearsal int

const (
	// ForReal changes the files.
	ForReal Rehearsal = iota
	// DryRun changes nothing.
	DryRun
)

// BlockedError lists the files in a checkout that stand in the way of an update; nothing was changed.
type BlockedError struct {
	Worktree string
	Paths    []string
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("%d files in %s stand in the way: %s", len(e.Paths), e.Worktree, strings.Join(e.Paths, ", "))
}

// UpdateCheckout takes the checkout's files from the tree old to the tree new, in the given index,
// as `git switch` would: staged, unstaged and untracked work elsewhere stays as it is; where a
// changed file would be overwritten git refuses. It writes.
func (r *Repo) UpdateCheckout(ctx context.Context, index, old, new string, mode Rehearsal) error {
	args := []string{"read-tree", "-m", "-u"}
	if mode == DryRun {
		args = append(args, "--dry-run")
	}
	_, err := r.do(ctx, call{args: append(args, old, new), env: []string{"GIT_INDEX_FILE=" + index}})
	return wrap(err, "update checkout %q", r.Worktree)
}

// RestorePaths writes these files of the checkout, which must not be there, as the given index has them. It writes.
func (r *Repo) RestorePaths(ctx context.Context, index string, paths []string) error {
	env := []string{"GIT_INDEX_FILE=" + index}
	_, err := r.do(ctx, call{args: []string{"checkout-index", "-u", "-z", "--stdin"}, stdin: records(paths), env: env})
	return wrap(err, "restore files of %q", r.Worktree)
}

// TakeBack puts paths of this checkout back to what the commit has and commits just that. It writes.
func (r *Repo) TakeBack(ctx context.Context, branch, commit string, paths []string) error {
	entries, err := r.Entries(ctx, commit)
	if err != nil {
		return fmt.Errorf("take back %q: %w", paths, err)
	}
	has := map[string]bool{}
	for _, e := range entries {
		for at := e.Path; at != "." && !has[at]; at = path.Dir(at) {
			has[at] = true
		}
	}
	for _, p := range paths {
		args := []string{"--literal-pathspecs", "checkout", "--quiet", commit, "--", p}
		if !has[p] {
			args = []string{"--literal-pathspecs", "rm", "--cached", "--quiet", "-r", "-f", "--ignore-unmatch", "--", p}
		}
		if _, err := r.do(ctx, call{args: args}); err != nil {
			return fmt.Errorf("take back %q: %w", p, err)
		}
		if !has[p] {
			if err := removeBelow(r.Worktree, p); err != nil {
				return fmt.Errorf("take back %q: %w", p, err)
			}
		}
	}
	changed := []string{"--literal-pathspecs", "diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD",
		"--"}
	staged, err := r.read(ctx, append(changed, paths...)...)
	if err != nil || len(staged) == 0 {
		return err
	}
	message := "Take back changes outside the scope of " + branch
	args := append([]string{"-c", "commit.gpgSign=false", "--literal-pathspecs", "commit", "--quiet", "--only", "-m",
		message, "--"}, fields(staged)...)
	_, err = r.do(ctx, call{args: args})
	return wrap(err, "commit what was taken back on %q", branch)
}

// removeBelow removes what lies at the path and the folders that this leaves empty.
// A folder on the way that is a symbolic link leads to another place: nothing of this checkout lies
// there. (git's own rm follows it.)
func removeBelow(root, path string) error {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer folder.Close()
	path = filepath.FromSlash(path)
	for at := filepath.Dir(path); at != "."; at = filepath.Dir(at) {
		if info, err := folder.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil
		}
	}
	if err := folder.RemoveAll(path); err != nil {
		return err
	}
	for at := filepath.Dir(path); at != "." && folder.Remove(at) == nil; {
		at = filepath.Dir(at)
	}
	return nil
}
