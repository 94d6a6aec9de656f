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

	"delegate/internal/sys/run"
)

// anyFilter matches the keys by which a filter runs.
const anyFilter = `^filter\..*\.(clean|smudge|process|required)$`

// WriteOut makes the folder hold the files of a tree, for programs that read them there. The index
// of what is in it lies next to it as FOLDER.index and makes the next tree quick. Filters of the
// configuration are not run: a file that goes through one is written as it is stored. It writes
// nothing to the repository.
func (r *Repo) WriteOut(ctx context.Context, tree, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("write out %.12s: %w", tree, err)
	}
	unfiltered, err := r.disarm(ctx, anyFilter, "")
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

// Untracked lists the untracked files of this checkout, ignored or not, that a file at its root names in the syntax
// of .gitignore.
func (r *Repo) Untracked(ctx context.Context, named string) ([]string, error) {
	out, err := r.read(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+named)
	return fields(out), wrap(err, "list the files of %q that %q names", r.Worktree, named)
}

// UntrackedBelow lists the untracked files below a folder of this checkout, ignored or not.
func (r *Repo) UntrackedBelow(ctx context.Context, folder string) ([]string, error) {
	out, err := r.read(ctx, "--literal-pathspecs", "ls-files", "-z", "--others", "--", folder)
	return fields(out), wrap(err, "list untracked files of %q", folder)
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
	return fmt.Sprintf("files of yours in %s stand in the way: %s", e.Worktree, strings.Join(e.Paths, ", "))
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

// TakeBack puts files of this checkout, by their paths, back to what the commit has and commits just that. It removes
// what lies at the path of a file that the commit has not. It writes.
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
	var back, gone []string
	asked := map[string]bool{}
	for _, p := range paths {
		if asked[p] = true; has[p] {
			back = append(back, p)
		} else {
			gone = append(gone, p)
		}
	}
	on := func(paths []string, args ...string) error {
		if len(paths) == 0 {
			return nil
		}
		args = append(append([]string{"--literal-pathspecs"}, args...), "--pathspec-from-file=-", "--pathspec-file-nul")
		_, err := r.do(ctx, call{args: args, stdin: records(paths)})
		return err
	}
	// What the commit has not goes first: it may lie where a file of the commit has to be.
	if err := on(gone, "rm", "--cached", "--quiet", "-r", "-f", "--ignore-unmatch"); err != nil {
		return fmt.Errorf("take back %q: %w", gone, err)
	}
	for _, p := range gone {
		if err := removeBelow(r.Worktree, p); err != nil {
			return fmt.Errorf("take back %q: %w", p, err)
		}
	}
	if err := on(back, "checkout", "--quiet", commit); err != nil {
		return fmt.Errorf("take back %q: %w", back, err)
	}
	out, err := r.read(ctx, "diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD")
	if err != nil {
		return err
	}
	staged := slices.DeleteFunc(fields(out), func(p string) bool { return !asked[p] })
	err = on(staged, "-c", "commit.gpgSign=false", "commit", "--quiet", "--only", "-m",
		"Take back changes outside the scope of "+branch)
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

// LockIndex takes git's own lock on this checkout's index, so that no other git command changes it meanwhile.
// The lock file holds mark from the first moment it exists, so that after a crash it is known whose it is.
// A lock with the same mark is taken over.
func (r *Repo) LockIndex(mark string) error {
	lock := filepath.Join(r.GitDir, "index.lock")
	own, err := writeMark(lock, mark)
	if err != nil {
		return fmt.Errorf("lock index: %w", err)
	}
	defer os.Remove(own)
	err = os.Link(own, lock)
	if errors.Is(err, fs.ErrExist) {
		if found, readErr := os.ReadFile(lock); readErr == nil && string(found) == mark {
			return nil
		}
		return &LockedError{Path: lock}
	}
	return wrap(err, "lock index")
}

// writeMark writes the mark to a new file: one left by a crash may still be the same file as a
// lock, which must not be written to.
func writeMark(lock, mark string) (string, error) {
	note, err := os.CreateTemp(filepath.Dir(lock), filepath.Base(lock)+".delegate-*")
	if err != nil {
		return "", err
	}
	if _, err = note.WriteString(mark); err == nil {
		err = note.Sync() // an empty lock after a power cut would have no owner
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

// Stage is one side of a conflicted file: 1 base, 2 ours, 3 theirs.
type Stage struct {
	Mode   uint32
	ID     string
	Number int
	Path   string
}

// parseStage reads `MODE ID NUMBER TAB PATH`, as an index and a merge have it.
func parseStage(record string) (s Stage, ok bool) {
	meta, path, found := strings.Cut(record, "\t")
	_, err := fmt.Sscanf(meta, "%o %s %d", &s.Mode, &s.ID, &s.Number)
	s.Path = path
	return s, found && err == nil && isFullID(s.ID)
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
		s, ok := parseStage(f)
		if !ok {
			return nil, fmt.Errorf("read index of %q: record %q", r.Worktree, f)
		}
		if want[s.Path] && s.Number == 0 {
			found[s.Path] = Entry{Mode: s.Mode, ID: s.ID, Path: s.Path}
		}
	}
	return found, nil
}

// HashFiles are the object ids that these files of the checkout would get, filters and line endings
// applied; no object is written. A symbolic link's is that of its target's name. What git cannot
// hash (a folder, a file that is gone or cannot be read) has the id "".
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
	return id, wrap(err, "hash content")
}

// FollowIndex takes this checkout's index from one commit to another, so that what differs in the
// files is an unstaged change. Where something is staged, it stays as it is. A *LockedError
// says that another git works on it right now. Files are never touched. It writes.
func (r *Repo) FollowIndex(ctx context.Context, from, to string) error {
	_, err := r.read(ctx, "diff-index", "--cached", "--quiet", from, "--")
	if run.ExitCode(err) > 1 {
		if _, goneErr := r.Resolve(ctx, from); errors.Is(goneErr, ErrNoCommit) {
			return nil // what was staged cannot be known any more
		}
	}
	if run.ExitCode(err) == 1 { // something is staged
		return nil
	}
	if err == nil {
		_, err = r.do(ctx, call{args: []string{"read-tree", "--reset", to}})
	}
	if err == nil {
		return nil
	}
	if lock := r.IndexPath() + ".lock"; isThere(lock) {
		return &LockedError{Path: lock}
	}
	return fmt.Errorf("take the index of %q to %.12s: %w", r.Worktree, to, err)
}

// ResetIndex makes this checkout's index that of a commit, whatever was staged, and brings the file
// times in it up to date. Files are never touched. A *LockedError says that another git works
// on it right now. It writes.
func (r *Repo) ResetIndex(ctx context.Context, commit string) error {
	if _, err := r.do(ctx, call{args: []string{"read-tree", "--reset", commit}}); err != nil {
		if lock := r.IndexPath() + ".lock"; isThere(lock) {
			return &LockedError{Path: lock}
		}
		return fmt.Errorf("take the index of %q to %.12s: %w", r.Worktree, commit, err)
	}
	return r.RefreshIndex(ctx, r.IndexPath())
}

// Differing are the paths of the checkout's files that are not as the commit has them: changed,
// missing, or new and not ignored. A repository inside the checkout is one path with a slash at its
// end. Only names are asked for: it reads the content of a file that was touched, hashes nothing
// that is new, and writes no object. index is a file of its own that is made for this commit at the
// first call and kept; one that is there is taken to be of this commit. The checkout's index is not
// touched and not asked. No other process may use the file meanwhile.
func (r *Repo) Differing(ctx context.Context, index, commit string) ([]string, error) {
	if _, err := os.Stat(index); errors.Is(err, fs.ErrNotExist) {
		if err := r.makeIndex(ctx, index, commit); err != nil {
			return nil, fmt.Errorf("look at %q: %w", r.Worktree, err)
		}
	}
	args := []string{"ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"}
	out, err := r.do(ctx, call{args: args, env: []string{"GIT_INDEX_FILE=" + index}, reads: true})
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", r.Worktree, err)
	}
	paths := fields(out)
	slices.Sort(paths) // what is missing is named as modified too
	return slices.Compact(paths), nil
}

// makeIndex makes an index of the commit that knows the times of the checkout's files. Only a whole one gets the name.
func (r *Repo) makeIndex(ctx context.Context, index, commit string) error {
	made := index + ".new"
	for _, left := range []string{made, made + ".lock"} { // by one that was killed
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := r.do(ctx, call{args: []string{"read-tree", "--reset", commit},
		env: []string{"GIT_INDEX_FILE=" + made}}); err != nil {
		return err
	}
	if err := r.RefreshIndex(ctx, made); err != nil {
		return err
	}
	return os.Rename(made, index)
}
