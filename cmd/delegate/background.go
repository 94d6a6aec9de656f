package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/run"
)

// conflictsLimit is how long one look for conflicts in the background may take.
const conflictsLimit = 5 * time.Minute

// conflictsInBackground has this program look for conflicts in a process of its own, behind all
// others where the system has `nice`: the supervisor stays small, and what it works on is not
// slowed down.
func conflictsInBackground(p *project.Project) func(context.Context) ([]conflict.Finding, session.Compared, error) {
	return func(ctx context.Context) ([]conflict.Finding, session.Compared, error) {
		ctx, cancel := context.WithTimeout(ctx, conflictsLimit)
		defer cancel()
		var out bytes.Buffer
		err := run.Do(ctx, lowPriority(run.Command{Path: run.Program(), Args: []string{"conflicts", "--json"},
			Dir: p.Repo.Worktree, Stdout: &out, Bound: true}))
		if code := run.ExitCode(err); code != 0 && code != exitBlocked {
			return nil, nil, err
		}
		var v conflictsView
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			return nil, nil, fmt.Errorf("read findings: %w", err)
		}
		heads := session.Compared{}
		for _, t := range v.Tips {
			heads[t.Ref] = t.Commit
		}
		return v.Findings, heads, nil
	}
}

// findingsInBackground is that without the heads which were compared.
func findingsInBackground(p *project.Project) func(context.Context) ([]conflict.Finding, error) {
	look := conflictsInBackground(p)
	return func(ctx context.Context) ([]conflict.Finding, error) {
		found, _, err := look(ctx)
		return found, err
	}
}

// endInBackground has this program end a session in a process of its own, at low priority: the final tree is verified.
func endInBackground(p *project.Project) func(context.Context) error { return inBackground(p, endVerb) }

// integrateInBackground has this program gather finished work in a process of its own, behind all others
// where the system has `nice`.
func integrateInBackground(p *project.Project) func(context.Context) error {
	return inBackground(p, integrateVerb)
}

// behindSupervisor is the life of such a process; false for other command lines.
func behindSupervisor(ctx context.Context, args []string, env environment) (code int, mine bool) {
	if len(args) != 2 {
		return exitUsage, false
	}
	work, known := map[string]func(context.Context, *project.Project) error{integrateVerb: integrate,
		endVerb: endDecided}[args[0]]
	if !known {
		return exitUsage, false
	}
	p, err := project.Open(ctx, args[1], env.options())
	if err == nil {
		err = work(ctx, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault, true
	}
	return exitDone, true
}

func inBackground(p *project.Project, verb string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, backgroundLimit)
		defer cancel()
		return run.Do(ctx, lowPriority(run.Command{Path: run.Program(), Args: []string{verb, p.Repo.Worktree},
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

// backgroundLimit is how long that may take: each agent's work, or the final tree, is verified in it.
const backgroundLimit = 2 * time.Hour
