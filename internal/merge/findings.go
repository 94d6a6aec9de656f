package merge

import (
	"context"
	"errors"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
	"delegate/worktree"
)

// againstTarget compares the agent with what the target has got since the agent's work began.
func (b *Builder) againstTarget(ctx context.Context, c Candidate, merged git.Merged, mergeErr error) ([]conflict.Finding, error) {
	x, y := Tip{c.Agent.ID, c.Work.Fork, c.Theirs}, Tip{TargetName, c.Work.Fork, c.Tip}
	if mergeErr == nil && c.Work.Fork == c.Tip {
		return []conflict.Finding{}, nil // the target has not moved
	}
	pair := conflict.Pair{A: named(x), B: named(y), Merge: conflict.Merge{Err: mergeErr}}
	if mergeErr == nil {
		sets, err := b.objects.Changes(ctx, []worktree.Span{worktree.Span(x), worktree.Span(y)})
		if err != nil {
			return nil, err
		}
		pair = conflict.Pair{A: sets[0], B: sets[1], Merge: mergeData(ctx, b.objects, merged)}
	}
	found, err := conflict.Run(ctx, conflict.Request{Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers(), Checkers: b.check})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// others compares the agent with every other one that has work and has not landed.
func (b *Builder) others(ctx context.Context, state registry.State, c Candidate) ([]conflict.Finding, error) {
	here := Tip{c.Agent.ID, c.Work.Fork, c.Theirs}
	var pairs [][2]Tip
	for _, other := range state.Agents {
		if other.ID == c.Agent.ID || !hasWork(other) {
			continue
		}
		work, err := b.p.Glance(ctx, c.Session.ID, other, c.Tip)
		if errors.Is(err, worktree.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, [2]Tip{here, {other.ID, work.Fork, work.Head}})
	}
	return b.compare(ctx, pairs, Checked)
}

func hasWork(a registry.Agent) bool {
	switch a.Status {
	case registry.Running, registry.Checkpoint, registry.Complete, registry.Failed:
		return a.Turns > 0
	}
	return false
}

// SessionTips are the agents with work, also uncommitted and also while they run, and the target.
func SessionTips(ctx context.Context, p *project.Project, state registry.State) ([]Tip, error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, err
	}
	var tips []Tip
	for _, a := range state.Agents {
		if !hasWork(a) {
			continue
		}
		work, err := p.Glance(ctx, state.Session.ID, a, target)
		if errors.Is(err, worktree.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tips = append(tips, Tip{Name: a.ID, Base: work.Fork, Head: work.Head})
	}
	return append(tips, Tip{Name: TargetName, Head: target}), nil
}
