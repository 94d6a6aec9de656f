package project

import (
	"context"
	"runtime"
	"sync"

	"delegate/internal/git"
	"delegate/internal/takeover"
	"delegate/registry"
)

// Taken is an agent's head that was taken, or why it could not be.
type Taken struct {
	snap takeover.Snapshot
	err  error
}

// TakeHeads takes the heads of several agents for good, side by side, as Work takes that of one. What they changed
// since their bases is read together, for who asks for it next.
func (p *Project) TakeHeads(ctx context.Context, session string, agents []registry.Agent) []Taken {
	all := make([]Taken, len(agents))
	inParallel(len(agents), func(i int) {
		all[i].snap, all[i].err = p.TakeHead(ctx, session, agents[i], takeover.ForGood)
	})
	var spans []git.Span
	for i, t := range all {
		if t.err == nil && t.snap.Head != "" && agents[i].Base != "" {
			spans = append(spans, git.Span{Base: agents[i].Base, Head: t.snap.Head})
		}
	}
	p.Repo.KnowChanges(ctx, spans)
	return all
}

// WorkAt is Work with a head that was taken before.
func (p *Project) WorkAt(ctx context.Context, a registry.Agent, target string, head Taken) (Work, error) {
	return p.workAt(ctx, a, target, head.snap, head.err)
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
	inParallel(len(agents), func(i int) {
		all[i].Work, all[i].Err = read(ctx, session, agents[i], target)
	})
	return all
}

// inParallel calls do for each number below n, at most as many at once as there are processors.
func inParallel(n int, do func(i int)) {
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
