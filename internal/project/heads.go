package project

import (
	"context"
	"runtime"
	"sync"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/registry"
)

// Taken is an agent's head that was taken, or why it could not be.
type Taken struct {
	snap takeover.Snapshot
	err  error
	// changes lead from the commit since to the head; since is "" where they were not read.
	since   string
	changes []change.File
}

// TakeHeads takes the heads of several agents for good, side by side, as Work takes that of one. What they changed
// since their bases is read together.
func (p *Project) TakeHeads(ctx context.Context, session string, agents []registry.Agent) []Taken {
	all := make([]Taken, len(agents))
	InParallel(len(agents), func(i int) {
		all[i].snap, all[i].err = p.TakeHead(ctx, session, agents[i], takeover.ForGood)
	})
	var spans []git.Span
	var of []*Taken
	for i := range all {
		if t := &all[i]; t.err == nil && t.snap.Head != "" && agents[i].Base != "" {
			spans, of = append(spans, git.Span{Base: agents[i].Base, Head: t.snap.Head}), append(of, t)
		}
	}
	lists, _ := p.Repo.ChangesEach(ctx, spans) // what cannot be read is found by WorkAt, which reads each by itself
	for i, files := range lists {
		of[i].since, of[i].changes = spans[i].Base, files
	}
	return all
}

// Read is the work of one of several agents, or why it could not be read.
type Read struct {
	Work
	Err error
}

// ReadEach reads the work of several agents in parallel, each as read does, which is Preview or Seen. The answers are
// in the order of the agents.
func ReadEach(ctx context.Context, read func(context.Context, string, registry.Agent, string) (Work, error),
	session string, agents []registry.Agent, target string) []Read {
	all := make([]Read, len(agents))
	InParallel(len(agents), func(i int) {
		all[i].Work, all[i].Err = read(ctx, session, agents[i], target)
	})
	return all
}

// InParallel calls do for each number below n, at most as many at once as there are processors.
func InParallel(n int, do func(i int)) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var done sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		done.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	done.Wait()
}
