package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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
	list := []string{"rev-list", "--no-merges", "--max-count=" + strconv.Itoa(bounds.Commits), "--end-of-options", from}
	commits, err := r.ids(ctx, call{args: list, reads: true})
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", from, err)
	}
	all, err := again(func() (all []Revision, err error) {
		over := false
		err = r.eachTouch(ctx, commits, call{env: []string{"GIT_NO_LAZY_FETCH=1"}}, func(commit, path string) {
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
		return all, err
	})
	if err != nil {
		return nil, fmt.Errorf("read history of %.12s: %w", from, err)
	}
	return all, nil
}

// Absent are the objects of a commit's tree that a partial clone lacks, by their ids; none where
// the clone is whole. Nothing is fetched.
func (r *Repo) Absent(ctx context.Context, commit string) (map[string]bool, error) {
	partial, err := r.configured(ctx, `^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$`)
	if err != nil || len(partial) == 0 {
		return nil, err
	}
	args := []string{"rev-list", "--objects", "--no-walk", "--missing=print", "--end-of-options", commit}
	c := call{args: args, env: offline(), reads: true, limit: workLimit}
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("look which objects of %.12s are here: %w", commit, err)
	}
	absent := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if id, is := strings.CutPrefix(strings.TrimSpace(line), "?"); is && isFullID(id) {
			absent[id] = true
		}
	}
	return absent, nil
}
