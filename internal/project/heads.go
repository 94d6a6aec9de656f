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
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var taken sync.WaitGroup
	for i, a := range agents {
		slots <- struct{}{}
		taken.Go(func() {
			defer func() { <-slots }()
			all[i].snap, all[i].err = p.TakeHead(ctx, session, a, takeover.ForGood)
		})
	}
	taken.Wait()
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
