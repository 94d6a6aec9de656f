package candidate

import (
	"context"
	"slices"

	"delegate/conflict"
	"delegate/internal/compare"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/threeway"
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
	var merges []string // of each step that is an adaptation, else ""
	for i, o := range outcomes {
		m := &c.Members[i]
		m.Findings = []conflict.Finding{}
		adapted, merged, err := b.adaptations(ctx, c, *m)
		if err != nil {
			return err
		}
		steps, merges = append(steps, adapted...), append(merges, merged...)
		at = append(at, slices.Repeat([]int{i}, len(adapted))...)
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
		steps, merges, at = append(steps, step), append(merges, ""), append(at, i)
	}
	found, err := b.compare.Against(ctx, steps)
	if err != nil {
		return err
	}
	for n, i := range at {
		m := &c.Members[i]
		if merges[n] != "" {
			if found[n], err = b.stillSo(ctx, found[n], merges[n], m.Head); err != nil {
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
	for i := range outcomes {
		if err := b.attribute(ctx, c.Members[i].Findings, *c, c.Members[i]); err != nil {
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
