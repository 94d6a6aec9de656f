package takeover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/land/checkout"
	"delegate/internal/sys/atomicfile"
)

// Move takes a checkout between two turns, while nobody works in it, from its head to a commit that
// has the head in its history: its files, its branch, its HEAD and its index. A fenced agent's git
// begins its next turn from there, as Enter says.
type Move struct {
	From, To string
	// Unfinished is what Snapshot.Incomplete says from the first file that moves until EndMove: why the
	// work is not to be used yet.
	Unfinished string `json:"Owed"`
}

// BehindError says that a checkout holds something else than the head it was to be taken from; nothing was changed.
type BehindError struct{ Path, Want, Found string }

func (e *BehindError) Error() string {
	return fmt.Sprintf("%q was changed meanwhile: its head is %.12s now and not %.12s", e.Path, e.Found, e.Want)
}

// noted is a move that was begun, as it stands next to the snapshot's index.
type noted struct {
	Move
	Tip  string // the branch before
	Done bool   // all is where it belongs, and the move waits for EndMove
}

func (r SnapshotRequest) moveFile() string { return r.Index + ".move" }

// Advance carries the move out. The caller holds both commits by references. Where a file that no
// head has, as an ignored one, stands in the way, nothing is changed. After a crash the next
// Snapshot finishes what was begun, unless somebody took the branch elsewhere: then the files stay
// as they are, for a person to look at. Ignored files are never touched. What of the agent's git
// was under way, such as a rebase, is forgotten: all its commits and files are in the head. step is
// told the steps, so that tests can end in between.
func (c *Checkout) Advance(ctx context.Context, r SnapshotRequest, m Move, step func(string)) error {
	lock, err := c.lockSnapshot(ctx, r)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err := c.advance(ctx, r, m, step); err != nil {
		return fmt.Errorf("advance %q: %w", c.Path, err)
	}
	return nil
}

func (c *Checkout) advance(ctx context.Context, r SnapshotRequest, m Move, step func(string)) error {
	before, err := c.snapshot(ctx, r)
	switch {
	case err != nil:
		return err
	case before.Incomplete != "":
		return fmt.Errorf("files are missing from its head: %s", before.Incomplete)
	case before.Head != m.From:
		return &BehindError{Path: c.Path, Want: m.From, Found: before.Head}
	}
	inside, err := c.Repo.IsAncestor(ctx, m.From, m.To)
	if err == nil && !inside {
		err = fmt.Errorf("%.12s does not have %.12s in its history", m.To, m.From)
	}
	if err != nil {
		return err
	}
	if lock := c.Repo.IndexPath() + ".lock"; there(lock) {
		return &git.LockedError{Path: lock}
	}
	tip, _, err := c.Repo.Ref(ctx, "refs/heads/"+c.Branch)
	if err != nil {
		return err
	}
	files, err := c.place(r, func(name string) { step("move of files: " + name) }).Plan(ctx, m.From, m.To)
	if err != nil {
		return err
	}
	if err := files.CheckUntracked(ctx); err != nil {
		return err
	}
	u := noted{Move: m, Tip: tip}
	if err := r.noteMove(u); err != nil {
		return err
	}
	step("move: noted")
	if _, err := files.Run(ctx, checkout.Fresh); err != nil {
		return err
	}
	return c.moveRefs(ctx, r, u, step)
}

// place is where the checkout is moved: by the index of the looks, which knows its files better than the agent's own.
func (c *Checkout) place(r SnapshotRequest, step func(string)) checkout.Place {
	return checkout.Place{Repo: c.Repo, Index: r.Index, Copy: r.Index + ".moving", Step: step}
}

// moveRefs takes branch, HEAD and index after the files, in this order: whatever is cut off, what
// looks uncommitted is never a step back.
func (c *Checkout) moveRefs(ctx context.Context, r SnapshotRequest, u noted, step func(string)) error {
	const reason = "delegate: brought up to date"
	ref := "refs/heads/" + c.Branch
	now, err := c.placeNow(ctx)
	if err != nil {
		return err
	}
	if now.Tip != u.To {
		if err := c.Repo.UpdateRefs(ctx, reason, git.RefUpdate{Ref: ref, Old: u.Tip, New: u.To}); err != nil {
			return err
		}
	}
	step("move: branch")
	if now.Head != "ref: "+ref {
		if err := c.Repo.SetHead(ctx, ref, reason); err != nil {
			return err
		}
	}
	step("move: head")
	if err := c.Repo.QuitOperation(ctx); err != nil {
		return err
	}
	if err := c.Repo.ResetIndex(ctx, u.To); err != nil {
		return err
	}
	step("move: index")
	// half a file would be taken for work
	if err := errors.Join(c.Repo.Sync(), atomicfile.SyncAll(c.Path)); err != nil {
		return err
	}
	u.Done = true
	return r.noteMove(u)
}

// Moved is the move that was begun in the checkout that the request looks at, and not ended.
func (r SnapshotRequest) Moved() (Move, bool, error) {
	u, found, err := r.readMove()
	return u.Move, found, err
}

// EndMove ends a move: the work can be used. It may be repeated.
func (r SnapshotRequest) EndMove() error {
	if err := atomicfile.RemoveFile(r.moveFile()); err != nil {
		return fmt.Errorf("settle a move: %w", err)
	}
	return nil
}

func (r SnapshotRequest) noteMove(u noted) error { return atomicfile.WriteJSON(r.moveFile(), u) }

func (r SnapshotRequest) readMove() (noted, bool, error) {
	var u noted
	err := atomicfile.ReadJSON(r.moveFile(), &u)
	if errors.Is(err, fs.ErrNotExist) {
		return u, false, nil
	}
	if err != nil {
		return u, false, fmt.Errorf("read the move that was begun: %w", err)
	}
	return u, true, nil
}

// resume finishes a move that was cut off, and answers with what it still owes, "" if there is none.
func (c *Checkout) resume(ctx context.Context, r SnapshotRequest) (string, error) {
	u, found, err := r.readMove()
	if err != nil || !found {
		return "", err
	}
	if u.Done {
		return u.Unfinished, nil
	}
	now, err := c.placeNow(ctx)
	if err != nil {
		return "", err
	}
	switch now.Tip {
	case u.To:
	case u.Tip:
		if err := c.finishFiles(ctx, r, u); err != nil {
			return "", err
		}
	default: // who took the branch elsewhere decides what the files are
		return "", os.Remove(r.moveFile())
	}
	return u.Unfinished, c.moveRefs(ctx, r, u, func(string) {})
}

// finishFiles takes the files of a move that was cut off the rest of the way. What is there in their
// place that neither side has, such as half a file, is kept by a reference; what was changed
// elsewhere since stays as it is.
func (c *Checkout) finishFiles(ctx context.Context, r SnapshotRequest, u noted) error {
	leave, err := c.unchangedCopies(ctx, r.Copied)
	if err != nil {
		return err
	}
	tree, err := c.Repo.Snapshot(ctx, r.Index, u.To, leave)
	if err != nil {
		return err
	}
	moves, err := c.Repo.Changes(ctx, u.From, u.To, git.RawEntries)
	if err != nil {
		return err
	}
	differs, err := c.Repo.Changes(ctx, u.To, tree, git.RawEntries)
	if err != nil {
		return err
	}
	before := map[string]change.File{}
	for _, f := range moves {
		before[f.Path] = f
	}
	var stays []git.Entry
	half := false
	for _, f := range differs {
		old, moving := before[f.Path]
		if !moving {
			entry := git.Entry{Mode: f.NewMode, ID: f.NewID, Path: f.Path}
			if entry.Mode == 0 {
				entry.ID = "" // it was deleted
			}
			stays = append(stays, entry)
		}
		half = half || moving && (f.NewMode != old.OldMode || f.NewMode != 0 && f.NewID != old.OldID)
	}
	if half {
		if err := c.keepHalfWritten(ctx, r, u, tree); err != nil {
			return err
		}
	}
	want, err := c.Repo.EditTree(ctx, u.To, stays)
	if err != nil {
		return err
	}
	rest, err := c.place(r, func(string) {}).Plan(ctx, tree, want)
	if err == nil {
		_, err = rest.Run(ctx, checkout.Fresh)
	}
	return err
}

func (c *Checkout) keepHalfWritten(ctx context.Context, r SnapshotRequest, u noted, tree string) error {
	head, _, _ := strings.Cut(r.Message, "\n")
	commit, err := c.Repo.CommitTree(ctx, tree, head+"\n\nAs it was found after an update that was cut off.\n", u.From)
	if err != nil {
		return err
	}
	return c.Repo.UpdateRefs(ctx, "delegate: cut off", git.RefUpdate{Ref: r.Ref + "-cut-" + commit[:12], New: commit})
}

// lockSnapshot lets one process at a time look at the checkout through the request's index.
func (c *Checkout) lockSnapshot(ctx context.Context, r SnapshotRequest) (*atomicfile.Guard, error) {
	if err := os.MkdirAll(filepath.Dir(r.Index), 0o700); err != nil {
		return nil, fmt.Errorf("look at %q: %w", c.Path, err)
	}
	lock, err := atomicfile.Lock(ctx, r.Index+".mutex")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.RemoveFile(r.Index + ".lock"); err != nil {
		lock.Unlock()
		return nil, fmt.Errorf("look at %q: %w", c.Path, err)
	}
	return lock, nil
}
