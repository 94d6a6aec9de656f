package takeover

import (
	"context"
	"errors"
	"fmt"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// mostAttempts is how often a head is made anew that git did not get to an end: until a reference names its objects,
// a `git prune` beside it takes them away, and what remembers them has to be forgotten.
const mostAttempts = 3

// isRefusal reports whether git itself said that it can not, or that objects are missing.
func isRefusal(err error) bool {
	_, unsound := errors.AsType[*git.TakeOverError](err)
	return unsound || run.ExitCode(err) > 0
}

// Forget has the next snapshot look at all files again, and take over again what the quarantine has.
func (r SnapshotRequest) Forget(ctx context.Context) error {
	err := atomicfile.RemoveFile(r.Index)
	q, begun := OpenQuarantine(r.Quarantine)
	if err != nil || !begun {
		return err
	}
	guard, err := q.lock(ctx)
	if err != nil {
		return err
	}
	defer guard.Unlock()
	n, err := q.recall()
	if err == nil {
		n.Again = true
		err = q.remember(n)
	}
	return err
}

// once takes over once more what was. Where that cannot be, as in a repository that is damaged, what was taken counts.
func (t *takeover) once(ctx context.Context) error {
	t.notes.Again = false
	before := t.notes
	err := t.run(ctx)
	if _, unsound := errors.AsType[*git.TakeOverError](err); unsound {
		t.notes = before
		return t.q.remember(before)
	}
	return err
}

// withoutBranch is the head of the files alone where the branch's own commits are not all there any more, cause if they
// are: nothing but the files can be saved.
func (c *Checkout) withoutBranch(ctx context.Context, r SnapshotRequest, cause error) (Snapshot, error) {
	tip, found, err := c.Repo.Ref(ctx, "refs/heads/"+c.Branch)
	if err != nil || !found || r.Base == "" {
		return Snapshot{}, errors.Join(cause, err)
	}
	lost := c.Repo.IsWhole(ctx, tip, r.Base)
	if _, unsound := errors.AsType[*git.TakeOverError](lost); !unsound {
		return Snapshot{}, errors.Join(cause, lost)
	}
	in := received{repo: c.Repo, parents: []string{r.Base},
		unsound: fmt.Sprintf("commits of %q are not all there: %v", c.Branch, lost)}
	if r.Previous != "" && c.Repo.IsWhole(ctx, r.Previous, r.Base) == nil {
		in.parents = []string{r.Previous}
	}
	return c.keep(ctx, r, in)
}

// isWhole is an error where something is missing of what the head has and the worktree's base has not.
func (c *Checkout) isWhole(ctx context.Context, r SnapshotRequest, head string) error {
	if r.Base == "" {
		return nil
	}
	if err := c.Repo.IsWhole(ctx, head, r.Base); err != nil {
		return fmt.Errorf("read the head %.12s of %q: %w", head, c.Path, err)
	}
	return nil
}

// isHeld reports whether the new head holds the old one, or nothing can: a `git prune` took that.
func (c *Checkout) isHeld(ctx context.Context, old, head string) (bool, error) {
	if _, _, err := c.Repo.TreeAndParents(ctx, old); errors.Is(err, git.ErrNoCommit) {
		return true, nil
	}
	return c.Repo.IsAncestor(ctx, old, head)
}
