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
	"strings"

	"delegate/internal/run"
)

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
	if err != nil {
		return nil, fmt.Errorf("status of %q: %w", r.Worktree, err)
	}
	if !bytes.HasPrefix(out, []byte("## ")) {
		return nil, fmt.Errorf("status of %q: %w", r.Worktree, odd(args, string(out)))
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
	if err != nil {
		return nil, fmt.Errorf("list ignored files of %q: %w", r.Worktree, err)
	}
	return fields(out), nil
}

// IndexLockedError says that another git command works on the checkout's index, or died doing so.
type IndexLockedError struct{ Path string }

func (e *IndexLockedError) Error() string {
	return fmt.Sprintf("the index is locked by another git command (%s)", e.Path)
}

// LockIndex takes git's own lock on this checkout's index, so that no other git command changes it meanwhile.
// The lock file holds mark from the first moment it exists, so that after a crash it is known whose it is.
// A lock with the same mark is taken over.
func (r *Repo) LockIndex(mark string) error {
	lock := filepath.Join(r.GitDir, "index.lock")
	own, err := noteBeside(lock, mark)
	if err != nil {
		return fmt.Errorf("lock index: %w", err)
	}
	defer os.Remove(own)
	err = os.Link(own, lock)
	if errors.Is(err, fs.ErrExist) {
		if found, readErr := os.ReadFile(lock); readErr == nil && string(found) == mark {
			return nil
		}
		return &IndexLockedError{Path: lock}
	}
	if err != nil {
		return fmt.Errorf("lock index: %w", err)
	}
	return nil
}

// noteBeside writes the mark to a new file: one left by a crash may still be the same file as a
// lock, which must not be written to.
func noteBeside(lock, mark string) (string, error) {
	note, err := os.CreateTemp(filepath.Dir(lock), filepath.Base(lock)+".delegate-*")
	if err != nil {
		return "", err
	}
	if _, err = note.WriteString(mark); err == nil {
		err = note.Sync() // an empty lock after a power cut would be nobody's
	}
	if err = errors.Join(err, note.Close()); err != nil {
		return "", errors.Join(err, os.Remove(note.Name()))
	}
	return note.Name(), nil
}

// UnlockIndex gives the lock back if it is the one with this mark.
func (r *Repo) UnlockIndex(mark string) error {
	lock := filepath.Join(r.GitDir, "index.lock")
	found, err := os.ReadFile(lock)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(found) != mark {
		return nil
	}
	if err != nil {
		return fmt.Errorf("unlock index: %w", err)
	}
	return os.Remove(lock)
}

// IndexPath is the checkout's own index file.
func (r *Repo) IndexPath() string { return filepath.Join(r.GitDir, "index") }

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
// as `git switch` would:
// staged, unstaged and untracked work elsewhere stays as it is; where a changed file would be
// overwritten git refuses. It writes.
func (r *Repo) UpdateCheckout(ctx context.Context, index, old, new string, mode Rehearsal) error {
	args := []string{"read-tree", "-m", "-u"}
	if mode == DryRun {
		args = append(args, "--dry-run")
	}
	_, err := r.do(ctx, call{args: append(args, old, new), env: []string{"GIT_INDEX_FILE=" + index}})
	if err != nil {
		return fmt.Errorf("update checkout %q: %w", r.Worktree, err)
	}
	return nil
}

// RefreshIndex brings the file times noted in an index up to date, so that an unchanged file is not
// taken for an edited one. It writes.
func (r *Repo) RefreshIndex(ctx context.Context, index string) error {
	_, err := r.do(ctx, call{args: []string{"update-index", "-q", "--refresh"},
		env: []string{"GIT_INDEX_FILE=" + index}})
	if err != nil && run.ExitCode(err) != 1 { // 1: some files need an update, which is what an edit looks like
		return fmt.Errorf("refresh index of %q: %w", r.Worktree, err)
	}
	return nil
}

// RestorePaths writes these files of the checkout, which must not be there, as the given index has them. It writes.
func (r *Repo) RestorePaths(ctx context.Context, index string, paths []string) error {
	env := []string{"GIT_INDEX_FILE=" + index}
	_, err := r.do(ctx, call{args: []string{"checkout-index", "-u", "-z", "--stdin"}, stdin: records(paths), env: env})
	if err != nil {
		return fmt.Errorf("restore files of %q: %w", r.Worktree, err)
	}
	return nil
}

// IndexEntries are the entries of an index for the given paths: mode and id at stage 0. A path without entry is absent.
func (r *Repo) IndexEntries(ctx context.Context, index string, paths []string) (map[string]Entry, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	want := make(map[string]bool, len(paths))
	for _, p := range paths {
		want[p] = true
	}
	args := []string{"ls-files", "-z", "--stage", "--full-name"}
	out, err := r.do(ctx, call{args: args, env: []string{"GIT_INDEX_FILE=" + index}, reads: true})
	if err != nil {
		return nil, fmt.Errorf("read index of %q: %w", r.Worktree, err)
	}
	found := map[string]Entry{}
	for _, f := range fields(out) {
		meta, path, _ := strings.Cut(f, "\t")
		var e Entry
		var stage int
		if _, err := fmt.Sscanf(meta, "%o %s %d", &e.Mode, &e.ID, &stage); err != nil || !isFullID(e.ID) {
			return nil, fmt.Errorf("read index of %q: record %q", r.Worktree, f)
		}
		if want[path] && stage == 0 {
			e.Path = path
			found[path] = e
		}
	}
	return found, nil
}

// HashFiles are the object ids that these files of the checkout would get, filters and line endings
// applied; no object is written.
// A symbolic link's is that of its target's name. What git cannot hash (a folder, a file that is
// gone or cannot be read) has the id "".
func (r *Repo) HashFiles(ctx context.Context, paths []string) ([]string, error) {
	ids := make([]string, len(paths))
	var plain []int
	var quoted strings.Builder
	for i, p := range paths {
		full := filepath.Join(r.Worktree, filepath.FromSlash(p))
		info, err := os.Lstat(full)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			if target, err := os.Readlink(full); err == nil {
				if ids[i], err = r.hashBytes(ctx, []byte(target)); err != nil {
					return nil, err
				}
			}
		case info.Mode().IsRegular() && readable(full):
			plain = append(plain, i)
			fmt.Fprintln(&quoted, quotePath(p))
		}
	}
	if len(plain) == 0 {
		return ids, nil
	}
	c := call{args: []string{"hash-object", "--stdin-paths"}, reads: true, limit: workLimit}
	c.stdin = strings.NewReader(quoted.String())
	found, err := r.ids(ctx, c)
	if err == nil && len(found) != len(plain) {
		err = odd(c.args, strings.Join(found, "\n"))
	}
	if err != nil {
		return nil, fmt.Errorf("hash files of %q: %w", r.Worktree, err)
	}
	for n, i := range plain {
		ids[i] = found[n]
	}
	return ids, nil
}

func readable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	file.Close()
	return true
}

// hashBytes is the object id of plain content; no object is written.
func (r *Repo) hashBytes(ctx context.Context, data []byte) (string, error) {
	args := []string{"hash-object", "--stdin", "--no-filters"}
	id, err := r.id(ctx, call{args: args, stdin: bytes.NewReader(data), reads: true})
	if err != nil {
		return "", fmt.Errorf("hash content: %w", err)
	}
	return id, nil
}

// quotePath writes a path as git's line-based input takes it: plain, or in C quotes if it holds something odd.
func quotePath(p string) string {
	if !strings.ContainsAny(p, "\n\r\"\\\t") {
		return p
	}
	return quoted(p)
}

// quoted writes a path in the C quotes of git's lists.
func quoted(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		if c := p[i]; c < 0x20 || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
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
	if _, err := r.do(ctx, call{args: args}); err != nil {
		return fmt.Errorf("commit what was taken back on %q: %w", branch, err)
	}
	return nil
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
