package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Touched are the paths that commits of to change which from does not have, each with the newest of them.
// A move counts as two paths, a merge only where it differs from all it merges.
func (r *Repo) Touched(ctx context.Context, from, to string) (map[string]string, error) {
	commits, err := r.read(ctx, "rev-list", "--topo-order", "--end-of-options", to, "^"+from)
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", to, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	touched := map[string]string{}
	err = r.eachTouch(ctx, call{args: []string{"-c"}, stdin: bytes.NewReader(commits)}, func(commit, path string) {
		if touched[path] == "" {
			touched[path] = commit
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read history of %.12s: %w", to, err)
	}
	return touched, nil
}

// eachTouch visits the paths that commits change in their order. The call has the commits as its input, one a line, and further options.
func (r *Repo) eachTouch(ctx context.Context, c call, visit func(commit, path string)) error {
	c.args = slices.Concat(rawDiff(), []string{"--stdin", "--root", "--no-renames"}, c.args)
	c.env = append(c.env, "GIT_OPTIONAL_LOCKS=0")
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
				commit = strings.TrimSpace(field)
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
