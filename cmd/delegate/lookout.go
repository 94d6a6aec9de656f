package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/run"
)

// lookoutLimit is how long one look for conflicts in the background may take.
const lookoutLimit = 5 * time.Minute

// lookout has this program look for conflicts in a process of its own, behind all others where the system has `nice`:
// the supervisor stays small, and what it works on is not slowed down.
func lookout(p *project.Project) func(context.Context) ([]conflict.Finding, error) {
	return func(ctx context.Context) ([]conflict.Finding, error) {
		ctx, cancel := context.WithTimeout(ctx, lookoutLimit)
		defer cancel()
		var out bytes.Buffer
		err := run.Do(ctx, behind(run.Command{Path: run.Program(), Args: []string{"conflicts", "--json"},
			Dir: p.Repo.Worktree, Stdout: &out, Bound: true}))
		if code := run.ExitCode(err); code != 0 && code != exitBlocked {
			return nil, err
		}
		var v conflictsView
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("read findings: %w", err)
		}
		return v.Findings, nil
	}
}
