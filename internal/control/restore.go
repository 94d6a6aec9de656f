package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/registry"
)

// BlockedRestoreError says that a branch or a file is in the way of a worktree that is to be restored; nothing was
// changed.
type BlockedRestoreError struct {
	Name string // of the agent
	Err  error
}

func (e *BlockedRestoreError) Error() string { return fmt.Sprintf("restore %s: %v", e.Name, e.Err) }

func (e *BlockedRestoreError) Unwrap() error { return e.Err }

// Next returns what a person types then.
func (e *BlockedRestoreError) Next() string {
	return "move it away or rename it, then: delegate restore " + e.Name
}

// Restore makes an agent's worktree again that is missing, in whole or in part, from the head, with the files that are
// copied in. The setup commands are not run.
func (c Control) Restore(ctx context.Context, id string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	if a.Status == registry.Spawning || a.Status == registry.Running {
		return a, fmt.Errorf("restore the worktree of %s: it %s; type first: delegate interrupt %s", a.ID,
			a.Status.Is(), a.Name)
	}
	if a.Turns == 0 || a.Status.Ended() {
		return a, fmt.Errorf("restore the worktree of %s: it %s, and needs none", a.ID, a.Status.Is())
	}
	repo, err := c.P.Unfiltered(ctx)
	if err == nil {
		err = os.MkdirAll(c.P.WorktreeRoot(), 0o700)
	}
	if err != nil {
		return a, err
	}
	checkout, err := takeover.Restore(ctx, repo, takeover.Request{Path: a.Worktree, Branch: a.Branch,
		Commit: cmp.Or(a.Head, a.Base)})
	if _, blocked := errors.AsType[*takeover.ExistsError](err); blocked {
		return a, &BlockedRestoreError{a.Name, err}
	}
	if err != nil {
		return a, fmt.Errorf("restore the worktree of %s: %w", a.ID, err)
	}
	// The watch knows the worktree that was there before.
	if err := os.Remove(session.MonitorIndex(c.P, sessionID, a)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	list, err := c.P.CopyList(ctx)
	if err != nil {
		return a, err
	}
	before, err := c.P.Copied(sessionID, a) // of which a folder that is left has some
	if err != nil {
		return a, err
	}
	copied, err := checkout.CopyInto(ctx, c.P.Main, list)
	return a, errors.Join(err, c.P.RememberCopied(sessionID, a, append(before, copied...)), os.Chmod(a.Worktree, 0o700))
}
