package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Touched are the paths that commits of to change which from does not have, each with the newest of them.
// A move counts as two paths, a merge only where it differs from all it merges.
func (r *Repo) Touched(ctx context.Context, from, to string) (map[string]string, error) {
	touched, err := fact(r, "touched", []string{from, to}, func() (map[string]string, error) {
		return r.touched(ctx, from, to)
	})
	return maps.Clone(touched), err
}

func (r *Repo) touched(ctx context.Context, from, to string) (map[string]string, error) {
	list := []string{"rev-list", "--topo-order", "--end-of-options", to, "^" + from}
	commits, err := r.ids(ctx, call{args: list, reads: true, limit: workLimit})
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", to, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	touched, err := again(func() (map[string]string, error) {
		touched := map[string]string{}
		return touched, r.eachTouch(ctx, commits, call{args: []string{"-c"}}, func(commit, path string) {
			if touched[path] == "" {
				touched[path] = commit
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read history of %.12s: %w", to, err)
	}
	return touched, nil
}

// eachTouch visits the paths that commits change, in the order of the commits. The call has further
// options.
func (r *Repo) eachTouch(ctx context.Context, commits []string, c call, visit func(commit, path string)) error {
	if len(commits) == 0 {
		return nil
	}
	c.args = slices.Concat(rawDiff(), []string{"--stdin", "--root", "--no-renames"}, c.args)
	c.reads, c.limit, c.stdin = true, workLimit, asLines(commits)
	return r.stream(ctx, c, func(a answer) error {
		commit := ""
		for {
			field, err := a.field()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if !strings.HasPrefix(field, ":") {
				if commit = strings.TrimSpace(field); !isFullID(commit) {
					return odd(c.args, field)
				}
				continue
			}
			path, err := a.next()
			if err != nil {
				return err
			}
			visit(commit, path)
		}
	})
}
