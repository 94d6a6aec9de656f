package merge

import (
	"context"
	"errors"
	"slices"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/internal/threeway"
	"delegate/registry"
)

// outcome is what git's merge of a member came to.
type outcome struct {
	merged git.Merged
	err    error
}

// withBelow compares the member with what lies below it and it does not know: what the target has
// got since its work began, and the members before it.
func (b *Builder) withBelow(ctx context.Context, c Candidate, m Member, o outcome) ([]conflict.Finding, error) {
	x, y := Tip{m.Agent.ID, m.Work.Fork, m.Theirs}, Tip{TargetName, m.Work.Fork, m.Onto}
	if o.err == nil && m.Work.Fork == m.Onto {
		return []conflict.Finding{}, nil // nothing has moved
	}
	key := [2]Tip{x, y}
	if known, ok := b.below[key]; ok && o.err == nil && len(m.Resolved) == 0 {
		return known, nil // what commits do to each other stays so
	}
	pair := conflict.Pair{A: named(x), B: named(y), Merge: conflict.Merge{Err: o.err}}
	if o.err == nil {
		sets, err := b.objects.Changes(ctx, []objects.Span{objects.Span(x), objects.Span(y)})
		if err != nil {
			return nil, err
		}
		pair = conflict.Pair{A: sets[0], B: sets[1], Merge: mergeData(ctx, b.objects, o.merged)}
	}
	results, err := b.analysis.Run(ctx, b.objects, []conflict.Pair{pair}, analyze.Checked)
	if err != nil {
		return nil, err
	}
	// what a person decided is said as that
	found := slices.DeleteFunc(results[0].Found, func(f conflict.Finding) bool {
		return f.Type == conflict.FileConflict && slices.ContainsFunc(m.Resolved, func(r threeway.Resolution) bool {
			return slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return p.Path == r.Path })
		})
	})
	attribute(found, c.Members, m.Agent.ID)
	if o.err == nil && len(m.Resolved) == 0 && !results[0].Unsettled {
		b.below[key] = found
	}
	return found, nil
}

// attribute names, in place of the target, the one member below that a place is from.
func attribute(found []conflict.Finding, members []Member, id string) {
	below := members[:slices.IndexFunc(members, func(m Member) bool { return m.Agent.ID == id })]
	for _, f := range found {
		for i := range f.Places {
			var from []string
			for _, m := range below {
				if f.Places[i].Agent == TargetName && slices.ContainsFunc(m.Changes, func(c change.File) bool {
					return c.Path == f.Places[i].Path || c.BasePath() == f.Places[i].Path
				}) {
					from = append(from, m.Agent.ID)
				}
			}
			if len(from) == 1 {
				f.Places[i].Agent = from[0]
			}
		}
	}
}

// others compares the candidate's agents with every other one that has work and has not landed.
func (b *Builder) others(ctx context.Context, state registry.State, c Candidate) ([]conflict.Finding, error) {
	inside := c.IDs()
	var pairs [][2]Tip
	for _, other := range state.Agents {
		if slices.Contains(inside, other.ID) || !hasWork(other) {
			continue
		}
		work, err := b.p.Glance(ctx, c.Session.ID, other, c.Tip)
		if errors.Is(err, takeover.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, m := range c.Members {
			if m.Theirs != "" {
				pairs = append(pairs, [2]Tip{{m.Agent.ID, m.Work.Fork, m.Theirs}, {other.ID, work.Fork, work.Head}})
			}
		}
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
		work, err := p.Seen(ctx, state.Session.ID, a, target)
		if errors.Is(err, takeover.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tips = append(tips, Tip{Name: a.ID, Base: work.Fork, Head: work.Head})
	}
	return append(tips, Tip{Name: TargetName, Head: target}), nil
}
