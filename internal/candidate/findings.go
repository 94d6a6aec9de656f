package candidate

import (
	"context"
	"errors"
	"slices"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/compare"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/internal/threeway"
	"delegate/registry"
)

// withBelow compares the member with what lies below it and it does not know: what the target has
// got since its work began, and the members before it.
func (b *Builder) withBelow(ctx context.Context, c Candidate, m Member, merged git.Merged,
	failed error) ([]conflict.Finding, error) {
	work := objects.Span{Name: m.Agent.ID, Base: m.Work.Fork, Head: m.Theirs}
	onto := objects.Span{Name: project.TargetName, Base: m.Work.Fork, Head: m.Onto}
	if failed == nil && m.Work.Fork == m.Onto {
		return []conflict.Finding{}, nil // nothing has moved
	}
	key := [2]objects.Span{work, onto}
	if known, ok := b.below[key]; ok && failed == nil && len(m.Resolved) == 0 {
		return known, nil // what commits do to each other stays so
	}
	result, err := b.compare.Against(ctx, work, onto, merged, failed)
	if err != nil {
		return nil, err
	}
	// what a person decided is said as that
	found := slices.DeleteFunc(result.Found, func(f conflict.Finding) bool {
		return f.Type == conflict.FileConflict && slices.ContainsFunc(m.Resolved, func(r threeway.Resolution) bool {
			return slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return p.Path == r.Path })
		})
	})
	attribute(found, c.Members, m.Agent.ID)
	if failed == nil && len(m.Resolved) == 0 && !result.Unsettled {
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
				if f.Places[i].Agent == project.TargetName && slices.ContainsFunc(m.Changes, func(c change.File) bool {
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
	var pairs [][2]objects.Span
	for _, other := range state.Agents {
		if slices.Contains(inside, other.ID) || !compare.HasWork(other) {
			continue
		}
		work, err := b.Project.Preview(ctx, c.Session.ID, other, c.Tip)
		if errors.Is(err, takeover.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, m := range c.Members {
			if m.Theirs != "" {
				pairs = append(pairs, [2]objects.Span{
					{Name: m.Agent.ID, Base: m.Work.Fork, Head: m.Theirs},
					{Name: other.ID, Base: work.Fork, Head: work.Head},
				})
			}
		}
	}
	return b.compare.Pairs(ctx, pairs, compare.Checked)
}
