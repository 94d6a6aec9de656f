package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/run"
)

// conflictsLimit is how long one look for conflicts in the background may take.
const conflictsLimit = 5 * time.Minute

// conflictsInBackground has this program look for conflicts in a process of its own, behind all
// others where the system has `nice`: the supervisor stays small, and what it works on is not
// slowed down.
func conflictsInBackground(p *project.Project) func(context.Context) ([]conflict.Finding, error) {
	return func(ctx context.Context) ([]conflict.Finding, error) {
		ctx, cancel := context.WithTimeout(ctx, conflictsLimit)
		defer cancel()
		var out bytes.Buffer
		err := run.Do(ctx, lowPriority(run.Command{Path: run.Program(), Args: []string{"conflicts", "--json"},
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

// integrateInBackground has this program gather finished work in a process of its own, behind all others
// where the system has `nice`.
func integrateInBackground(p *project.Project) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, integrationLimit)
		defer cancel()
		return run.Do(ctx, lowPriority(run.Command{Path: run.Program(), Args: []string{integrateVerb, p.Repo.Worktree},
			Dir: p.Repo.Worktree, Bound: true}))
	}
}

// lowPriority has a command of ours run at low priority.
func lowPriority(c run.Command) run.Command {
	if nice, err := run.Which("nice", "/", os.Getenv("PATH")); err == nil {
		c.Path, c.Args = nice, append([]string{"-n", "10", c.Path}, c.Args...)
	}
	return c
}

// integrationLimit is how long one gathering may take: each agent's work is verified in it.
const integrationLimit = 2 * time.Hour
