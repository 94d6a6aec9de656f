package engine

import (
	"context"

	"delegate/internal/project/config"
)

// The things that an engine is asked about before any job is submitted.
const (
	Reach       = "engine"
	Permissions = "permissions"
	Template    = "template"
)

// Answer is what an engine says of one of them.
type Answer struct {
	About string
	Text  string
	Warns bool   // that is worth a look
	Err   error  // what is in the way of jobs, nil for nothing
	Next  string // what to type or to change in these cases
}

// Named is a job that this program submitted, as the engine lists it.
type Named struct {
	Name string
	Away string // the command line that takes it away
}

// Inspector is an engine as a person asks about it. No turn needs that.
type Inspector interface {
	// Inspect asks what jobs will need: whether the engine answers, what the person may do there, and whether it would
	// take a job. It submits none.
	Inspect(ctx context.Context) []Answer
	// Jobs are those of this program that the engine has, also those of other repositories, and of other people where
	// they are listed.
	Jobs(ctx context.Context) ([]Named, error)
}

// Inspect is the engine that the configuration describes. Nothing is asked of it yet.
func Inspect(e config.Engine) Inspector {
	if e.Kind == config.Kubernetes {
		return &kubernetes{settings: e}
	}
	return slurm{e}
}

// Prefix is how the names of all jobs of this program begin.
const Prefix = "delegate-"
