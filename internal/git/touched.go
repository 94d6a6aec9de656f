package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// Touched are the paths that commits of to change which from does not have, each with the newest of them.
// A move counts as two paths, a merge only where it differs from all it merges.
func (r *Repo) Touched(ctx context.Context, from, to string) (map[string]string, error) {
	touched, err := fact(r, "touched", []string{from, to}, func() (map[string]string, error) { return r.touched(ctx, from, to) })
	return maps.Clone(touched), err
}

func (r *Repo) touched(ctx context.Context, from, to string) (map[string]string, error) {
	commits, err := r.read(ctx, "rev-list", "--topo-order", "--end-of-options", to, "^"+from)
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", to, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	args := append(rawDiff(), "--stdin", "--root", "-c", "--no-renames")
	out, err := r.do(ctx, call{args: args, stdin: bytes.NewReader(commits), env: []string{"GIT_OPTIONAL_LOCKS=0"}})
	if err != nil {
		return nil, fmt.Errorf("read history of %.12s: %w", to, err)
	}
	a := answer{bufio.NewReader(bytes.NewReader(out))}
	touched := map[string]string{}
	commit := ""
	for {
		field, err := a.field()
		if errors.Is(err, io.EOF) {
			return touched, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read history of %.12s: %w", to, err)
		}
		if !strings.HasPrefix(field, ":") {
			commit = strings.TrimSpace(field)
			continue
		}
		path, err := a.next()
		if err != nil {
			return nil, fmt.Errorf("read history of %.12s: %w", to, err)
		}
		if touched[path] == "" {
			touched[path] = commit
		}
	}
}
