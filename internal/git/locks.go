package git

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/sys/run"
)

// LockedError says that a git command holds one of git's locks, or was killed while it did: only the one who sees all
// processes can tell.
type LockedError struct{ Path string }

// Since returns when the lock was made, the zero time where it is not there any more.
func (e *LockedError) Since() time.Time {
	info, err := os.Lstat(e.Path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (e *LockedError) Error() string {
	since := ""
	if at := e.Since(); !at.IsZero() {
		since = fmt.Sprintf(" for %s", time.Since(at).Abs().Round(time.Second))
	}
	return fmt.Sprintf("%q has been there%s: another git command works there, or was killed when it did", e.Path, since)
}

// Next returns what to do then.
func (e *LockedError) Next() string {
	return "wait for the other git command; if none is running, type: rm " + run.AsTyped([]string{e.Path}) +
		", then the same again"
}

// NoIndexError says that the index of a checkout is missing or empty, so that git knows none of its files.
type NoIndexError struct{ Worktree string }

func (e *NoIndexError) Error() string {
	return fmt.Sprintf("the index of %q is missing or empty, so git does not know which of its files you edited",
		e.Worktree)
}

// Next returns what makes it again: no file is touched.
func (e *NoIndexError) Next() string { return "git -C " + run.AsTyped([]string{e.Worktree}) + " reset" }

// locksOf are the locks that git takes to change references; config.lock and index.lock are of other changes.
func (r *Repo) locksOf(refs ...string) []string {
	all := []string{filepath.Join(r.GitDir, "HEAD.lock"), filepath.Join(r.CommonDir, "HEAD.lock"),
		filepath.Join(r.CommonDir, "packed-refs.lock")}
	for _, ref := range refs {
		all = append(all, filepath.Join(r.CommonDir, filepath.FromSlash(ref)+".lock"))
	}
	return all
}

// heldLong is how old a lock is before it is reported: git holds one for a moment.
const heldLong = 10 * time.Second

// Locks returns the locks that keep this checkout, its configuration or the references from being changed, and are
// older than git usually holds one.
func (r *Repo) Locks(refs ...string) (old []*LockedError) {
	seen := map[string]bool{}
	for _, path := range append(r.locksOf(refs...), filepath.Join(r.GitDir, "index.lock"),
		filepath.Join(r.CommonDir, "index.lock"), filepath.Join(r.CommonDir, "config.lock")) {
		info, err := os.Lstat(path)
		if err == nil && !seen[path] && time.Since(info.ModTime()).Abs() >= heldLong {
			old = append(old, &LockedError{Path: path})
		}
		seen[path] = true
	}
	return old
}
