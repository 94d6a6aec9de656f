package candidate

import (
	"context"
	"slices"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/compare"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
)

// outcome is git's merge of a member, with what a person decided, or why there is none.
type outcome struct {
	merged git.Merged
	failed error
}

// findBelow compares members with what lies below each and it does not know: what the target has got since its work
// began, and the members before it. They land together, so what a checker finds wrong with one and what lies below it
// counts only where the tree that all of them make does not show it to be repaired.
func (b *Builder) findBelow(ctx context.Context, c *Candidate, outcomes []outcome) error {
	var steps []compare.Step
	var at []int
	var adapted []*compare.Adaptation // that each step is, nil for none
	for i, o := range outcomes {
		m := &c.Members[i]
		m.Findings = []conflict.Finding{}
		before, err := b.compare.Adaptations(ctx, c.Session.ID, m.Agent, m.Head, c.lastTree())
		if err != nil {
			return err
		}
		for _, a := range before {
			steps, adapted, at = append(steps, a.Step), append(adapted, &a), append(at, i)
		}
		if o.failed == nil && m.Work.Fork == m.Base {
			continue // nothing has moved
		}
		step := compare.Step{
			Work:   objects.Span{Name: m.Agent.ID, Base: m.Work.Fork, Head: m.Head},
			Onto:   objects.Span{Name: project.TargetName, Base: m.Work.Fork, Head: m.Base},
			Merged: o.merged, Failed: o.failed,
		}
		if m.Tree != "" {
			step.Landing = c.lastTree()
		}
		steps, adapted, at = append(steps, step), append(adapted, nil), append(at, i)
	}
	found, err := b.compare.Against(ctx, steps)
	if err != nil {
		return err
	}
	for n, i := range at {
		m := &c.Members[i]
		if adapted[n] != nil {
			if found[n], err = b.compare.StillSo(ctx, *adapted[n], found[n]); err != nil {
				return err
			}
		}
		// what a person decided is said as that
		m.Findings = append(m.Findings, slices.DeleteFunc(found[n], func(f conflict.Finding) bool {
			return f.Type == conflict.FileConflict && slices.ContainsFunc(m.Resolved, func(r threeway.Resolution) bool {
				return slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return p.Path == r.Path })
			})
		})...)
	}
	moved := map[string][]change.File{}
	for i := range outcomes {
		if err := b.attribute(ctx, c, i, moved); err != nil {
			return err
		}
	}
	return nil
}

// lastTree is what all members make that can be merged, "" if none can.
func (c Candidate) lastTree() (tree string) {
	for _, m := range c.Members {
		if m.Tree == "" {
			break
		}
		tree = m.Tree
	}
	return tree
}
