package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"delegate/internal/candidate"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/internal/run"
)

// integrateVerb is the hidden command under which this program gathers finished work for its supervisor.
const integrateVerb = "__integrate"

// integrationLimit is how long one gathering may take: each agent's work is verified in it.
const integrationLimit = 2 * time.Hour

// integration has this program gather finished work in a process of its own, behind all others
// where the system has `nice`.
func integration(p *project.Project) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, integrationLimit)
		defer cancel()
		return run.Do(ctx, behind(run.Command{Path: run.Program(), Args: []string{integrateVerb, p.Repo.Worktree},
			Dir: p.Repo.Worktree, Bound: true}))
	}
}

// behind has a command of ours run at low priority.
func behind(c run.Command) run.Command {
	if nice, err := run.Which("nice", "/", os.Getenv("PATH")); err == nil {
		c.Path, c.Args = nice, append([]string{"-n", "10", c.Path}, c.Args...)
	}
	return c
}

// integrate is that process.
func integrate(ctx context.Context, args []string, env environment) int {
	if len(args) != 2 {
		return exitUsage
	}
	p, err := project.Open(ctx, args[1], project.Options{Step: env.step})
	if err == nil {
		b := candidate.New(p)
		err = land.Integrate(ctx, b)
		if closing := b.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault
	}
	return exitDone
}
