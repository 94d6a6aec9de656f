package candidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/compare"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
)

// adaptations are the steps in which the target was merged into a member's work, with the merge of each. What was found
// in them is still so where the agent left the merge as it was: nothing moves between its work and the target any more,
// so that no later step tells of it.
func (b *Builder) adaptations(ctx context.Context, c *Candidate, m Member) (steps []compare.Step, merges []string,
	err error) {
	repo := b.Project.Repo
	if m.Agent.Turns < 2 {
		return nil, nil, nil // an adaptation begins a turn
	}
	folder := fmt.Sprintf("refs/delegate/%s/%s/", c.Session.ID, m.Agent.ID)
	refs, err := repo.RefsUnder(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !strings.HasPrefix(ref, folder+"adapted-") {
			continue
		}
		merge := refs[ref]
		parents, err := repo.Parents(ctx, merge)
		if err != nil {
			return nil, nil, err
		}
		if in, err := repo.IsAncestor(ctx, merge, m.Head); err != nil {
			return nil, nil, err
		} else if !in || len(parents) != 2 { // of an attempt that was given up
			continue
		}
		fork, err := repo.MergeBase(ctx, parents[0], parents[1])
		if errors.Is(err, git.ErrNoMergeBase) { // it merged other history itself since
			continue
		} else if err != nil {
			return nil, nil, err
		}
		merged, err := repo.Merge(ctx, parents[0], parents[1])
		if err != nil {
			return nil, nil, err
		}
		steps = append(steps, compare.Step{
			Work:    objects.Span{Name: m.Agent.ID, Base: fork, Head: parents[0]},
			Onto:    objects.Span{Name: project.TargetName, Base: fork, Head: parents[1]},
			Merged:  merged,
			Landing: c.lastTree(),
		})
		merges = append(merges, merge)
	}
	return steps, merges, nil
}

// stillSo are the findings of a merge whose files a later commit has as the merge had them. What git could not merge
// is left out: that it is decided is seen in the files. What nothing but a rule tells does not block any more: another
// file may have repaired it.
func (b *Builder) stillSo(ctx context.Context, found []conflict.Finding, merge, later string) ([]conflict.Finding,
	error) {
	if len(found) == 0 {
		return nil, nil
	}
	changed, err := b.Project.Repo.Changes(ctx, merge, later, git.RawEntries)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f conflict.Finding) bool {
		return f.Type == conflict.FileConflict ||
			slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return touches(changed, p.Path) })
	})
	for i := range found {
		found[i].Blocking = found[i].Blocking && found[i].Certainty == conflict.Confirmed
	}
	return found, nil
}
