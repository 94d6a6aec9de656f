package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
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
	args := []string{"worktree", "list", "--porcelain", "-z"}
	out, err := r.read(ctx, args...)
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
		if len(all) == 0 || key == "HEAD" && !isFullID(value) {
			return nil, fmt.Errorf("list worktrees: %w", odd(args, field))
		}
		at := &all[len(all)-1]
		switch key {
		case "HEAD":
			at.Head = known(value)
		case "branch":
			at.Branch = value
		case "bare":
			at.Bare = true
		case "prunable":
			at.Prunable = true
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("list worktrees: %w", odd(args, ""))
	}
	if !all[0].Bare && same(all[0].Path, r.CommonDir) {
		if all[0].Path, err = r.mainFolder(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mainFolder is the main checkout of a repository whose git folder lies elsewhere (a submodule, `--separate-git-dir`):
// git lists the git folder in its place.
func (r *Repo) mainFolder(ctx context.Context) (string, error) {
	if r.GitDir == r.CommonDir && r.Worktree != "" {
		return r.Worktree, nil
	}
	noted, err := r.line(ctx, "config", "--file", filepath.Join(r.CommonDir, "config"), "--get", "core.worktree")
	switch {
	case run.ExitCode(err) == 1:
		return r.CommonDir, nil // git itself does not know more from here
	case err != nil:
		return "", fmt.Errorf("read core.worktree: %w", err)
	case filepath.IsAbs(noted):
		return noted, nil
	}
	return filepath.Join(r.CommonDir, noted), nil
}

// OpenWorktree addresses a listed worktree by the administrative folder that git keeps for it in
// the common folder; ErrNoWorktree (wrapped) if it keeps none. What the worktree's own `.git` says or leads to
// is not asked.
func (r *Repo) OpenWorktree(path string) (*Repo, error) {
	if r.GitDir == r.CommonDir && same(path, r.Worktree) {
		return r.At(r.CommonDir, path), nil
	}
	// git names its folder after the worktree's where it can
	if tree, found := r.linkedAs(filepath.Base(path)); found && tree.isAt(path) {
		return r.At(tree.own, path), nil
	}
	kept, err := r.linked()
	if err != nil {
		return nil, fmt.Errorf("open worktree %q: %w", path, err)
	}
	for _, tree := range kept {
		if tree.isAt(path) {
			return r.At(tree.own, path), nil
		}
	}
	if same(filepath.Join(path, ".git"), r.CommonDir) {
		return r.At(r.CommonDir, path), nil
	}
	return nil, fmt.Errorf("open worktree %q: %w", path, ErrNoWorktree)
}

// Linked are the paths of the linked worktrees, as far as git's own folders for them can be read.
func (r *Repo) Linked() (paths []string) {
	kept, _ := r.linked()
	for _, tree := range kept {
		if filepath.Base(tree.pointer) == ".git" {
			paths = append(paths, filepath.Dir(tree.pointer))
		}
	}
	return paths
}

// linkedTree is a linked worktree: the folder that git keeps for it, and the `.git` file in it.
type linkedTree struct{ own, pointer string }

// isAt says whether it is the worktree in that folder, whatever its `.git` has become.
func (t linkedTree) isAt(path string) bool {
	return filepath.Base(t.pointer) == ".git" && same(filepath.Dir(t.pointer), path)
}

func (r *Repo) linked() (kept []linkedTree, err error) {
	entries, err := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if tree, found := r.linkedAs(e.Name()); found {
			kept = append(kept, tree)
		}
	}
	return kept, nil
}

// linkedAs is the linked worktree whose folder has that name.
func (r *Repo) linkedAs(name string) (linkedTree, bool) {
	own := filepath.Join(r.CommonDir, "worktrees", name)
	to, found := pointer(filepath.Join(own, "gitdir"))
	if found && !filepath.IsAbs(to) {
		to = filepath.Join(own, to) // by worktree.useRelativePaths of git 2.48
	}
	return linkedTree{own, filepath.FromSlash(to)}, found
}

// IsOrphaned says that a folder is a linked checkout with the name, by its own `.git` file, and
// that no repository knows it any more: the folder that git kept for it is gone, or belongs to a
// checkout elsewhere, as where both were moved or copied.
func IsOrphaned(path, name string) bool {
	line, _ := pointer(filepath.Join(path, ".git"))
	admin, linked := strings.CutPrefix(line, "gitdir: ")
	if !linked || filepath.Base(filepath.Dir(admin)) != "worktrees" || !strings.HasPrefix(filepath.Base(admin), name) {
		return false
	}
	if !filepath.IsAbs(admin) {
		admin = filepath.Join(path, admin)
	}
	back, found := pointer(filepath.Join(admin, "gitdir"))
	if found && !filepath.IsAbs(back) {
		back = filepath.Join(admin, back)
	}
	return !found && !isThere(filepath.Join(admin, "gitdir")) || found && !same(back, filepath.Join(path, ".git"))
}

// same compares paths whose folders may be reached through symbolic links; the last element may be missing.
func same(a, b string) bool {
	if a == b {
		return true
	}
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

// RemoveWorktree removes a checkout and all files in it. Callers make sure first that nothing in it
// is needed. It writes.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	at, err := r.OpenWorktree(path)
	if info, statErr := os.Lstat(path); err == nil && statErr == nil && info.IsDir() && at.GitDir != at.CommonDir &&
		at.CheckPointers() == nil && !isThere(filepath.Join(at.GitDir, "locked")) {
		if err = atomicfile.RemoveTree(path); err == nil {
			err = atomicfile.RemoveTree(at.GitDir)
		}
		_ = os.Remove(filepath.Dir(at.GitDir)) // that of the last one
		return wrap(err, "remove worktree %q", path)
	}
	_, err = r.do(ctx, call{args: []string{"worktree", "remove", "--force", path}})
	return wrap(err, "remove worktree %q", path)
}

// Unfinished says that git was killed while it made this checkout: it takes the note away when all files are there.
func (r *Repo) Unfinished() bool {
	why, locked := r.Locked()
	return locked && why == unfinished
}

// Locked reports whether the checkout is locked, and why, as git notes it.
func (r *Repo) Locked() (why string, locked bool) {
	path := filepath.Join(r.GitDir, "locked")
	note, _ := atomicfile.ReadRegular(path, mostPointer) // one that cannot be read locks it as well
	return strings.TrimSpace(string(note)), isThere(path)
}

// unfinished is what the note says.
const unfinished = "initializing"

// RemoveUnfinished removes such a checkout, in which no work can have begun, or the entry of
// one whose folder is gone. It writes.
func (r *Repo) RemoveUnfinished(ctx context.Context) error {
	_, err := os.Lstat(r.Worktree)
	if gone := errors.Is(err, fs.ErrNotExist); !gone && !r.Unfinished() {
		return fmt.Errorf("remove unfinished worktree %q: it is finished", r.Worktree)
	}
	_ = os.Remove(r.Worktree) // git wants a folder with what ties it to the repository, or none: an empty one goes
	common := r.At(r.CommonDir, "")
	_, err = common.do(ctx, call{args: []string{"worktree", "remove", "--force", "--force",
		r.Worktree}})
	return wrap(err, "remove unfinished worktree %q", r.Worktree)
}

// Init makes a repository with branch main in a folder that has files already, with the person as
// its configured identity, and commits them all. It writes.
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

// PointerError says that a file by which git finds its way between a checkout and the repository
// does not say what it should: git in that checkout would use another repository, or none.
type PointerError struct {
	File  string
	Want  string // what git writes there
	Found string // what is there instead; "" if there is no plain file, or nothing in it
}

func (e *PointerError) Error() string {
	found := "is missing, empty or no plain file"
	if e.Found != "" {
		found = fmt.Sprintf("says %q", e.Found)
	}
	return fmt.Sprintf("%s %s; it should be a file that says %q: write that into it, and do not run git there before",
		e.File, found, e.Want)
}

// mostPointer is more than a path can have.
const mostPointer = 64 << 10

// CheckPointers compares the three files that tie a linked checkout to the repository with one
// another: the checkout's `.git`, and `commondir` and `gitdir` in the folder that git keeps for it.
// They may be absolute or relative, as git writes them; no link on the way is followed, save those
// that lead to the checkout or to the repository themselves. The first that leads elsewhere is a
// *PointerError. The main checkout has none of them.
func (r *Repo) CheckPointers() error {
	if r.GitDir == r.CommonDir {
		return nil
	}
	file := filepath.Join(r.Worktree, ".git")
	for _, p := range []struct{ file, prefix, to, usual string }{
		{file, "gitdir: ", r.GitDir, r.GitDir},
		{filepath.Join(r.GitDir, "commondir"), "", r.CommonDir, "../.."},
		{filepath.Join(r.GitDir, "gitdir"), "", file, file},
	} {
		found, ok := pointer(p.file)
		to, named := strings.CutPrefix(found, p.prefix)
		if !ok || !named || !leadsTo(filepath.Dir(p.file), to, p.to) {
			return &PointerError{File: p.file, Want: p.prefix + p.usual, Found: found}
		}
	}
	return nil
}

// RepairPointer writes the `.git` of a linked checkout anew where it is not what git wrote. It removes what is there
// instead, so it is for a checkout whose files are nobody's.
func (r *Repo) RepairPointer() error {
	var wrong *PointerError
	if err := r.CheckPointers(); !errors.As(err, &wrong) || wrong.File != filepath.Join(r.Worktree, ".git") {
		return err
	}
	if err := atomicfile.RemoveTree(wrong.File); err != nil {
		return fmt.Errorf("repair %q: %w", wrong.File, err)
	}
	return atomicfile.WriteFile(wrong.File, []byte(wrong.Want+"\n"), 0o644)
}

// pointer is a small file's text without the line break at its end; false if it is no plain file, or empty.
// A path can hold a line break itself.
func pointer(path string) (string, bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	data, err := atomicfile.ReadRegular(path, mostPointer)
	line := strings.TrimSuffix(string(data), "\n")
	return line, err == nil && line != ""
}

// leadsTo says whether what a file in the folder points to is the wanted path, by the words alone.
func leadsTo(folder, to, want string) bool {
	to = filepath.FromSlash(to)
	wanted := spelled(want)
	if filepath.IsAbs(to) {
		return slices.Contains(wanted, filepath.Clean(to))
	}
	return slices.ContainsFunc(spelled(folder), func(from string) bool {
		return slices.Contains(wanted, filepath.Join(from, to))
	})
}

// spelled are the ways in which git may write a path: as it was given, with the links on the way to
// it resolved, or with its own as well.
func spelled(path string) []string {
	ways := []string{filepath.Clean(path)}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		ways = append(ways, filepath.Join(folder, filepath.Base(path)))
	}
	if full, err := filepath.EvalSymlinks(path); err == nil {
		ways = append(ways, full)
	}
	return ways
}

// InProgress names the operation a person has under way in this checkout (merge, rebase, …), or "".
func (r *Repo) InProgress() string {
	for _, sign := range []struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, filepath.FromSlash(sign.file))); err == nil {
			return sign.name
		}
	}
	return ""
}

// Rebasing is the full name of the branch that a rebase under way in this checkout will move, or "".
func (r *Repo) Rebasing() string {
	for _, folder := range []string{"rebase-merge", "rebase-apply"} {
		if data, err := atomicfile.ReadRegular(filepath.Join(r.GitDir, folder, "head-name"), mostOfRef); err == nil {
			return strings.TrimSpace(string(data))
		}
	}
	return ""
}

// QuitOperation forgets the merge, rebase, cherry-pick or revert that is under way in this
// checkout, as its own --quit does: commits, references, index and files stay as they are. It
// writes.
func (r *Repo) QuitOperation(ctx context.Context) error {
	for r.InProgress() != "" && r.InProgress() != "bisect" {
		name := r.InProgress()
		if _, err := r.do(ctx, call{args: []string{name, "--quit"}}); err != nil {
			return fmt.Errorf("quit the %s in %q: %w", name, r.Worktree, err)
		}
		if r.InProgress() == name {
			return fmt.Errorf("quit the %s in %q: it is still under way", name, r.Worktree)
		}
	}
	return nil
}
