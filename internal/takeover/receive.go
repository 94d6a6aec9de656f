package takeover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/git"
)

// received is what a snapshot starts from.
type received struct {
	repo    *git.Repo // the checkout, with what the agent has staged
	parents []string
	unsound string // why the agent's commits could not be taken over, "" if they were
	faults  []string
}

// receive takes over what the agent's git has in its quarantine and finds the commits that the head must keep.
// Commits that are not sound do not keep the files from being saved.
func (c *Checkout) receive(ctx context.Context, r SnapshotRequest) (received, error) {
	in := received{repo: c.Repo}
	q, begun := OpenQuarantine(r.Quarantine)
	if !begun {
		var err error
		in.parents, err = c.parents(ctx, r.Previous)
		return in, err
	}
	taken, err := c.TakeOver(ctx, q)
	var unsound *git.TakeOverError
	if errors.As(err, &unsound) {
		in.unsound = fmt.Sprintf("commits were not taken over: %v", unsound)
	} else if err != nil {
		return in, err
	}
	in.faults = taken.Faults
	if in.unsound != "" && !q.Whole() && r.Previous != "" { // the branch itself may name what is missing
		in.parents = []string{r.Previous}
	} else if in.parents, err = c.parents(ctx, r.Previous); err != nil {
		return in, err
	}
	if in.parents, err = c.join(ctx, in.parents, taken.Beside); err != nil || !q.Whole() {
		return in, err
	}
	return in, c.stage(&in, q, r.Index+".agent")
}

// join adds commits to parents, so that none is in the history of another.
func (c *Checkout) join(ctx context.Context, parents, beside []string) ([]string, error) {
	for _, commit := range beside {
		var kept []string
		within := false
		for _, p := range parents {
			inside, err := c.Repo.IsAncestor(ctx, commit, p)
			if err != nil {
				return nil, err
			}
			within = within || inside
			below, err := c.Repo.IsAncestor(ctx, p, commit)
			if err != nil {
				return nil, err
			}
			if !below || inside {
				kept = append(kept, p)
			}
		}
		if parents = kept; !within {
			parents = append(parents, commit)
		}
	}
	return parents, nil
}

// stage lets the snapshot take what the agent has staged from a copy of its index. An index that
// cannot be read is a fault and stages nothing.
func (c *Checkout) stage(in *received, q Quarantine, index string) error {
	data, err := foreign(q.GitDir()).read("index", mostIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		in.faults = append(in.faults, fmt.Sprintf("index: %v", err))
	}
	if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in.repo = c.Repo.StagedIn(index)
	if len(data) == 0 {
		return nil // git takes a missing index for an empty one
	}
	return os.WriteFile(index, data, 0o600)
}

// CheckPointers finds out whether the files by which git finds its way between the checkout and the
// repository agree with one another. The first that does not is a *git.PointerError: nobody should
// run git in the checkout before it is mended. What this package does, it does with folders named
// explicitly and needs none of them.
func (c *Checkout) CheckPointers() error { return c.Repo.CheckPointers() }
