package main

import (
	"context"
	"fmt"
	"os"

	"delegate/internal/candidate"
	"delegate/internal/land"
	"delegate/internal/project"
)

// integrateVerb is the hidden command under which this program gathers finished work for its supervisor.
const integrateVerb = "__integrate"

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
