package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
)

// HistoryBounds say how much of a history is read.
type HistoryBounds struct {
	// Commits is how many commits are read at most, the newest first.
	Commits int
	// Paths is how many paths of one commit are kept; of a commit that changes more, none are.
	Paths int
}

// Revision is one commit of a history.
type Revision struct {
	Commit string
	// Paths are those that it changes, both of a move; none for a commit beyond the bound.
	Paths []string
}

// History are the commits behind from, itself included and merges left out, newest first.
// A clone that lacks commits has the shorter history, and nothing is fetched for it where git can be told so (2.45).
func (r *Repo) History(ctx context.Context, from string, bounds HistoryBounds) ([]Revision, error) {
	commits, err := r.read(ctx, "rev-list", "--no-merges", "--max-count="+strconv.Itoa(bounds.Commits), "--end-of-options", from)
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", from, err)
	}
	var all []Revision
	over := false
	err = r.eachTouch(ctx, call{stdin: bytes.NewReader(commits), env: []string{"GIT_NO_LAZY_FETCH=1"}}, func(commit, path string) {
		if len(all) == 0 || all[len(all)-1].Commit != commit {
			all, over = append(all, Revision{Commit: commit}), false
		}
		last := &all[len(all)-1]
		if over = over || len(last.Paths) == bounds.Paths; over {
			last.Paths = nil
			return
		}
		last.Paths = append(last.Paths, path)
	})
	if err != nil {
		return nil, fmt.Errorf("read history of %.12s: %w", from, err)
	}
	return all, nil
}
