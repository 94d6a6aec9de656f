package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/registry"
)

// Adaptation is a merge of the target into an agent's work, for the agent to go on from. What conflicts in it is so as
// long as the agent leaves the merge as it was, while nothing moves between its work and the target any more.
type Adaptation struct {
	Step
	merge, head string
}

// Adaptations are those that an agent's head has. landing is the tree in which they end up.
func (r *Comparer) Adaptations(ctx context.Context, session string, a registry.Agent,
	head, landing string) ([]Adaptation, error) {
	if a.Turns < 2 {
		return nil, nil // an adaptation begins a turn
	}
	folder := fmt.Sprintf("refs/delegate/%s/%s/", session, a.ID)
	refs, err := r.p.Repo.RefsUnder(ctx, folder)
	if err != nil {
		return nil, err
	}
	var all []Adaptation
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !strings.HasPrefix(ref, folder+"adapted-") {
			continue
		}
		found := Adaptation{merge: refs[ref], head: head}
		in, err := r.p.Repo.IsAncestor(ctx, found.merge, head)
		if err != nil {
			return nil, err
		}
		if !in { // of an attempt that was given up
			continue
		}
		found.Step, err = r.stepOf(ctx, a.ID, found.merge)
		if errors.Is(err, git.ErrNoMergeBase) { // the agent had merged other history itself
			continue
		}
		if err != nil {
			return nil, err
		}
		found.Landing = landing
		all = append(all, found)
	}
	return all, nil
}

// stepOf is a merge commit as the step of its first parent onto the second.
func (r *Comparer) stepOf(ctx context.Context, id, merge string) (Step, error) {
	parents, err := r.p.Repo.Parents(ctx, merge)
	if err != nil {
		return Step{}, err
	}
	if len(parents) != 2 {
		return Step{}, fmt.Errorf("%.12s is no merge of two: %w", merge, git.ErrNoMergeBase)
	}
	fork, err := r.p.Repo.MergeBase(ctx, parents[0], parents[1])
	if err != nil {
		return Step{}, err
	}
	merged, err := r.p.Repo.Merge(ctx, parents[0], parents[1])
	return Step{Work: objects.Span{Name: id, Base: fork, Head: parents[0]},
		Onto: objects.Span{Name: project.TargetName, Base: fork, Head: parents[1]}, Merged: merged}, err
}

// StillSo are the findings of the step whose files the agent left as the merge had them. What git could not merge is
// left out: that it is decided is seen in the files. What nothing but a rule tells does not block: another file may
// have repaired it.
func (r *Comparer) StillSo(ctx context.Context, a Adaptation, found []conflict.Finding) ([]conflict.Finding, error) {
	if len(found) == 0 {
		return nil, nil
	}
	changes, err := r.p.Repo.Changes(ctx, a.merge, a.head, git.RawEntries)
	if err != nil {
		return nil, err
	}
	changed := change.Set{Files: changes}.Paths()
	found = slices.DeleteFunc(found, func(f conflict.Finding) bool {
		return f.Type == conflict.FileConflict ||
			slices.ContainsFunc(f.Places, func(p conflict.Place) bool { return slices.Contains(changed, p.Path) })
	})
	for i := range found {
		found[i].Blocking = found[i].Blocking && found[i].Certainty == conflict.Confirmed
	}
	return found, nil
}

// Adapted is what is still so of the adaptations of a session's agents, whose work is among the tips.
func (r *Comparer) Adapted(ctx context.Context, state registry.State, tips []objects.Span) ([]conflict.Finding,
	error) {
	var adapted []Adaptation
	var steps []Step
	for _, t := range tips {
		a, err := state.Agent(t.Name)
		if err != nil {
			continue // the target
		}
		tree, err := r.p.Repo.TreeOf(ctx, t.Head)
		if err != nil {
			return nil, err
		}
		all, err := r.Adaptations(ctx, state.Session.ID, a, t.Head, tree)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			adapted, steps = append(adapted, one), append(steps, one.Step)
		}
	}
	if len(steps) == 0 {
		return nil, nil
	}
	found, err := r.Against(ctx, steps)
	if err != nil {
		return nil, err
	}
	r.Remember()
	var all []conflict.Finding
	for i, a := range adapted {
		still, err := r.StillSo(ctx, a, found[i])
		if err != nil {
			return nil, err
		}
		all = append(all, still...)
	}
	return all, nil
}
