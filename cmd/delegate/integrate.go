package main

import (
	"context"
	"errors"

	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
)

// integrateVerb is the hidden command under which this program gathers finished work for its supervisor.
const integrateVerb = "__integrate"

// integrate gathers finished work.
func integrate(ctx context.Context, p *project.Project) error {
	b := candidate.New(p)
	return errors.Join(land.Integrate(ctx, b), b.Close())
}
