// Package engine starts jobs on a cluster and reaches into them, by the four verbs that every engine has:
// Submit, Look, Exec and Cancel.
//
// It has no queue, no placement and no list of nodes of its own: the engine decides, and is asked. What a job is for is
// not known here.
package engine

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// callLimit is how long a command or a request to an engine may take.
const callLimit = time.Minute

// Engine is a cluster that jobs run on. An error of its verbs says that it could not be asked, unless it is a
// *RefusedError.
type Engine interface {
	// Submit has a command line run once where there is room, and answers with the job's id. A job of that name that
	// is there already is the one that is meant.
	Submit(ctx context.Context, name string, args []string) (id string, err error)
	// Look is what the engine says of a job.
	Look(ctx context.Context, id string) (Job, error)
	// Exec is a command that runs another where a job runs, its streams joined with that one's byte for byte.
	Exec(id string, args []string) run.Command
	// Cancel ends a job, and what runs in it, and has the engine forget it. Its own program is told first.
	Cancel(ctx context.Context, id string) error
}

// Open is the engine that the configuration describes. Nothing is asked of it yet.
func Open(e config.Engine) Engine {
	if e.Kind == config.Kubernetes {
		return &kubernetes{settings: e}
	}
	return slurm{e}
}

// Ask runs a short command where a job runs and answers with what it said.
func Ask(ctx context.Context, e Engine, id string, input []byte, args ...string) ([]byte, error) {
	command := e.Exec(id, args)
	command.Stdin, command.Limit = bytes.NewReader(input), callLimit
	return run.Output(ctx, command)
}

// RefusedError says that the engine answers, and does not take a job.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap is what the engine said.
func (e *RefusedError) Unwrap() error { return e.Err }

// Phase is how far a job is.
type Phase int

// The phases of a job.
const (
	Waiting Phase = iota // for room
	Running
	Over
	Unknown // the engine knows no such job, or does not know it any more
)

// Job is what an engine says of a job.
type Job struct {
	Phase Phase
	Why   string // it waits, in the engine's words
	Node  string // "" before it has one
	// Hopeless says of a job that waits that it will not start by itself, whatever room there is.
	Hopeless bool
	// LostNode says that it ended because the engine took its node away, or lost it.
	LostNode bool
	Words    string // what became of it, for people
	Again    int    // how often the engine started it once more by itself
}

// repeated adds to words how often a job was started once more.
func repeated(words string, times int) string {
	if times == 0 {
		return words
	}
	return words + fmt.Sprintf(", and started it again %d times", times)
}
