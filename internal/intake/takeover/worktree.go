// Package takeover takes what an agent made in its checkout over into the repository.
//
// What an agent did is its head: one commit that holds what it committed plus a snapshot of what it left uncommitted
// (Checkout.Snapshot). A fenced agent's git writes into a quarantine, of which only what is sound comes in. Every write
// goes through internal/git.
package takeover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
)

// ErrGone says that the folder of a checkout, or its entry in git's list, is not there any more.
var ErrGone = errors.New("worktree is gone")

// GoneError is an ErrGone that names the folder of the checkout.
type GoneError struct{ Path string }

func (e *GoneError) Error() string { return fmt.Sprintf("open %q: %v", e.Path, ErrGone) }

func (e *GoneError) Unwrap() error { return ErrGone }

// ExistsError says that a folder or a branch that was to be made is there already; nothing was changed.
type ExistsError struct {
	What, Name string // What is "folder" or "branch"
}

func (e *ExistsError) Error() string { return fmt.Sprintf("%s %q exists already", e.What, e.Name) }

// Checkout is one agent's worktree with its branch.
type Checkout struct {
	Path   string
	Branch string // short name
	Repo   *git.Repo
}

// Request says what Create makes.
type Request struct {
	Path, Branch, Commit string
}

// Create makes the folder and the branch at the commit.
// A branch and folder left by an attempt that was cut short at the same commit are taken up;
// anything else that exists is an *ExistsError.
// A folder that git had not finished filling is filled anew: its missing files would look like
// deletions of the agent's.
func Create(ctx context.Context, repo *git.Repo, r Request) (*Checkout, error) {
	tip, branchExists, err := repo.Ref(ctx, "refs/heads/"+r.Branch)
	if err != nil {
		return nil, err
	}
	if branchExists && tip != r.Commit {
		return nil, &ExistsError{What: "branch", Name: r.Branch}
	}
	if made, err := Open(repo, r.Path, r.Branch); err == nil && branchExists {
		if taken, err := takeUp(ctx, made); err != nil || taken {
			return made, err
		}
	}
	entries, err := os.ReadDir(r.Path)
	if err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &ExistsError{What: "folder", Name: r.Path}
	}
	if err := dropEntry(ctx, repo, r.Path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(r.Path), 0o755); err != nil {
		return nil, fmt.Errorf("make worktree %q: %w", r.Path, err)
	}
	start := r.Commit
	if branchExists {
		start = ""
	}
	if err := repo.AddWorktree(ctx, r.Path, r.Branch, start); err != nil {
		return nil, err
	}
	if err := keepRefFolder(repo, r.Branch); err != nil {
		return nil, err
	}
	return Open(repo, r.Path, r.Branch)
}

// takeUp says whether the checkout that is there is whole and on its branch. One that git was
// killed in while making it is removed.
func takeUp(ctx context.Context, made *Checkout) (bool, error) {
	if made.Repo.Unfinished() {
		return false, made.Repo.RemoveUnfinished(ctx)
	}
	branch, _, err := made.Repo.Head(ctx)
	if err != nil || branch != made.Branch {
		return false, &ExistsError{What: "folder", Name: made.Path}
	}
	return true, nil
}

// dropEntry takes away what git noted of a checkout that it was killed in while making it, and
// whose folder is missing or empty.
func dropEntry(ctx context.Context, repo *git.Repo, path string) error {
	left, err := repo.OpenWorktree(path)
	if errors.Is(err, git.ErrNoWorktree) {
		return nil // as usual
	}
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make worktree %q: %w", path, err)
	}
	return left.RemoveUnfinished(ctx)
}

// keepRefFolder leaves a file that git ignores in the branch's folders of references and of reflogs, so that
// the folders stay the same ones when a person's gc packs the references, or other branches go.
func keepRefFolder(repo *git.Repo, branch string) error {
	for _, file := range refFolderKeepers(repo, branch) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("keep folder of branch %q: %w", branch, err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			return fmt.Errorf("keep folder of branch %q: %w", branch, err)
		}
	}
	return nil
}

// ReleaseRefFolder takes away what Create left in the branch's folders so that they stay.
func ReleaseRefFolder(repo *git.Repo, branch string) error {
	for _, file := range refFolderKeepers(repo, branch) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("release folder of branch %q: %w", branch, err)
		}
		_ = os.Remove(filepath.Dir(file)) // only an empty folder goes
	}
	return nil
}

func refFolderKeepers(repo *git.Repo, branch string) []string {
	folder := filepath.Join("refs", "heads", filepath.FromSlash(filepath.Dir(branch)), ".keep")
	return []string{filepath.Join(repo.CommonDir, folder), filepath.Join(repo.CommonDir, "logs", folder)}
}

// Open addresses a checkout that exists; ErrGone (wrapped) if the folder or git's entry for it is missing, or a link is
// in the folder's place.
func Open(repo *git.Repo, path, branch string) (*Checkout, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, &GoneError{path}
	}
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	unlock(path)
	own, err := repo.OpenWorktree(path)
	if errors.Is(err, git.ErrNoWorktree) {
		return nil, &GoneError{path}
	}
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	return &Checkout{Path: path, Branch: branch, Repo: own}, nil
}

// unlock lets the owner into a folder whose mode an agent took away, so that it cannot keep anybody
// from looking. The folder itself is not the agent's to replace.
func unlock(folder string) {
	if info, err := os.Lstat(folder); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(folder, info.Mode().Perm()|0o700) // who opens it says what is wrong
	}
}

// SnapshotRequest says where a snapshot is kept.
type SnapshotRequest struct {
	Index    string   // private index file, kept between calls
	Ref      string   // reference that holds the head, so that no gc takes it; made or moved
	Hold     Hold     // what becomes of a head that Ref held before
	Base     string   // the commit that the worktree starts from
	Previous string   // the head known so far, "" if none; kept when nothing changed since
	Message  string   // commit message of what was left uncommitted
	Copied   []Copied // files that were put there, no work of the agent's while unchanged
	// Quarantine is the folder of the agent's quarantine, "" if it has none. What its git wrote
	// there is taken over first.
	Quarantine string
}

// Hold says for how long a head is kept.
type Hold int

// The holds.
const (
	// ForGood keeps every head: one that the new head does not contain stays under a reference of its own.
	// The head is on the disk, with all that it needs, when it is answered.
	ForGood Hold = iota
	// ForALook keeps the newest only.
	ForALook
)

// Snapshot is an agent's head and whether everything could be read into it.
type Snapshot struct {
	Head       string
	Incomplete string        // what git could not add or take over, "" when all is in
	Left       []git.Skipped // files that were not read, which count as missing too
	Faults     []string      // what the agent's git has that is none of its work and was left there (Taken.Faults)
}

// Snapshot takes what the agent committed and what it left into one commit and stores it under the request's reference.
// Neither the agent's index nor its branch is touched. Commits made beside the branch (detached,
// another branch) become parents too.
func (c *Checkout) Snapshot(ctx context.Context, r SnapshotRequest) (Snapshot, error) {
	lock, err := c.lockSnapshot(ctx, r)
	if err != nil {
		return Snapshot{}, err
	}
	defer lock.Unlock()
	ended := c.unblock(ctx)
	snap, err := c.snapshot(ctx, r)
	for attempt := 1; isRefusal(err) && attempt < mostAttempts; attempt++ {
		if err = r.Forget(ctx); err == nil {
			snap, err = c.snapshot(ctx, r)
		}
	}
	if isRefusal(err) {
		if snap, err = c.withoutBranch(ctx, r, err); err != nil {
			err = errors.Join(err, r.Forget(ctx))
		}
	}
	gone := ended()
	if err != nil {
		return Snapshot{}, err
	}
	snap.Faults = append(snap.Faults, gone...)
	return snap, nil
}

// snapshot makes the head and stores it; the lock is held.
func (c *Checkout) snapshot(ctx context.Context, r SnapshotRequest) (Snapshot, error) {
	unfinished, err := c.resume(ctx, r)
	if err != nil {
		return Snapshot{}, fmt.Errorf("finish what was cut off in %q: %w", c.Path, err)
	}
	in, err := c.receive(ctx, r)
	if err != nil {
		return Snapshot{}, err
	}
	in.unsound = strings.TrimSpace(unfinished + "\n" + in.unsound)
	return c.keep(ctx, r, in)
}

// keep is the head of what was received and of the files, held by the request's reference.
func (c *Checkout) keep(ctx context.Context, r SnapshotRequest, in received) (Snapshot, error) {
	snap := Snapshot{Incomplete: in.unsound, Faults: in.faults}
	tree, unchanged := in.repo.Unchanged(ctx, r.Index, in.parents[0])
	var err error
	if unchanged { // since the last look; its head says of which parents the index is
		snap.Head, err = c.known(ctx, r, tree, in.parents)
	}
	if err == nil && snap.Head == "" {
		err = c.look(ctx, r, in, &snap)
	}
	if err != nil {
		return Snapshot{}, err
	}
	if err := c.store(ctx, r, snap.Head); err != nil || r.Hold == ForALook {
		return snap, err
	}
	if err := c.isWhole(ctx, r, snap.Head); err != nil {
		return Snapshot{}, err
	}
	return snap, c.Repo.Sync()
}

// look makes the head of all files.
func (c *Checkout) look(ctx context.Context, r SnapshotRequest, in received, snap *Snapshot) error {
	leave, err := c.unchangedCopies(ctx, r.Copied)
	if err != nil {
		return err
	}
	tree, err := c.readFiles(ctx, r, in, leave)
	if incomplete, ok := errors.AsType[*git.IncompleteError](err); ok {
		snap.Incomplete, snap.Left = strings.TrimSpace(snap.Incomplete+"\n"+incomplete.Detail), incomplete.Left
	} else if err != nil {
		return err
	}
	if snap.Head, err = c.known(ctx, r, tree, in.parents); err == nil && snap.Head == "" {
		snap.Head, err = c.Repo.CommitTree(ctx, tree, r.Message, in.parents...)
	}
	return err
}

// readLimit is how long the files of a checkout are read. What takes longer is meant to: a head
// without them is better than none.
const readLimit = 5 * time.Minute

// readFiles is the tree of the checkout's files, or that of its commit where reading them does not come to an end.
func (c *Checkout) readFiles(ctx context.Context, r SnapshotRequest, in received, leave []string) (string, error) {
	within, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	tree, err := in.repo.Snapshot(within, r.Index, in.parents[0], leave)
	if err == nil || within.Err() == nil || ctx.Err() != nil {
		return tree, err
	}
	if tree, err = c.Repo.TreeOf(ctx, in.parents[0]); err != nil {
		return "", err
	}
	return tree, &git.IncompleteError{Worktree: c.Path,
		Detail: fmt.Sprintf("its files were not read within %s", readLimit)}
}

// parents are the commits that the head must keep: the branch's tip and, where it is not in that
// history, the worktree's HEAD. With neither left, the head known so far is what the files are held
// against.
func (c *Checkout) parents(ctx context.Context, previous string) ([]string, error) {
	tip, here, err := c.Repo.Tip(ctx, c.Branch)
	if err != nil {
		return nil, err
	}
	if here {
		return []string{tip}, nil
	}
	branchExists := tip != ""
	head, err := c.Repo.Resolve(ctx, "HEAD")
	if err != nil && !errors.Is(err, git.ErrNoCommit) {
		return nil, err
	}
	switch {
	case err != nil && !branchExists && previous != "":
		return []string{previous}, nil
	case err != nil && !branchExists:
		return nil, fmt.Errorf("branch %q: %w", c.Branch, ErrGone)
	case err != nil || head == tip:
		return []string{tip}, nil
	case !branchExists:
		return []string{head}, nil
	}
	if inside, err := c.Repo.IsAncestor(ctx, tip, head); err != nil || inside {
		return []string{head}, err
	}
	if inside, err := c.Repo.IsAncestor(ctx, head, tip); err != nil || inside {
		return []string{tip}, err
	}
	return []string{head, tip}, nil
}

// known returns the head for the tree that there is already: the parent itself when nothing was left, or the previous
// head; "" for none.
func (c *Checkout) known(ctx context.Context, r SnapshotRequest, tree string, parents []string) (string, error) {
	if len(parents) == 1 {
		parentTree, err := c.Repo.TreeOf(ctx, parents[0])
		if err != nil {
			return "", err
		}
		if parentTree == tree {
			return parents[0], nil
		}
	}
	held, _, err := c.Repo.Ref(ctx, r.Ref)
	if err != nil {
		return "", err
	}
	for _, before := range []string{r.Previous, held} {
		if same, err := c.isSnapshot(ctx, before, tree, parents); err != nil || same {
			return before, err
		}
	}
	return "", nil
}

// isSnapshot says whether the commit is the one that would be made: of this tree, with all of these parents.
// One that is not there any more is not.
func (c *Checkout) isSnapshot(ctx context.Context, commit, tree string, parents []string) (bool, error) {
	if commit == "" {
		return false, nil
	}
	itsTree, itsParents, err := c.Repo.TreeAndParents(ctx, commit)
	if errors.Is(err, git.ErrNoCommit) {
		return false, nil
	}
	return itsTree == tree && slices.Equal(itsParents, parents), err
}

// store holds the head by its reference. Who takes a head may have read in an earlier turn which one it is of,
// so the head that the reference has is never given up.
func (c *Checkout) store(ctx context.Context, r SnapshotRequest, head string) error {
	if r.Hold == ForALook && head == r.Previous {
		return nil // held as what it was before
	}
	old, found, err := c.Repo.Ref(ctx, r.Ref)
	if err != nil || old == head {
		return err
	}
	if r.Hold == ForALook {
		if err := c.isWhole(ctx, r, head); err != nil {
			return err
		}
	}
	updates := []git.RefUpdate{{Ref: r.Ref, Old: old, New: head}}
	if found && r.Hold == ForGood {
		inside, err := c.isHeld(ctx, old, head)
		if err != nil {
			return err
		}
		kept := r.Ref + "-kept-" + old[:12]
		if there, _, err := c.Repo.Ref(ctx, kept); err != nil {
			return err
		} else if !inside && there != old {
			updates = append(updates, git.RefUpdate{Ref: kept, New: old})
		}
	}
	if err := c.Repo.DropRefLocks(updates...); err != nil {
		return err
	}
	return c.Repo.UpdateRefs(ctx, "delegate: head", updates...)
}

// ForkPoint returns where an agent's own work begins: its base, or a later commit of the target that the
// agent has merged or rebased onto since; and whether the head has the base in its history.
func ForkPoint(ctx context.Context, repo *git.Repo, base, target, head string) (fork string, holds bool, err error) {
	shared, none := repo.MergeBase(ctx, target, head)
	if none == nil && shared == base {
		return base, true, nil
	}
	if none != nil && !errors.Is(none, git.ErrNoMergeBase) {
		return "", false, none
	}
	if holds, err = repo.IsAncestor(ctx, base, head); err != nil || none != nil {
		return "", holds, cmp.Or(err, none)
	}
	if older, err := repo.IsAncestor(ctx, shared, base); err != nil || older {
		return base, holds, err
	}
	return shared, holds, nil
}
