package merge

import (
	"context"
	"errors"
	"slices"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
	"delegate/worktree"
)

// named is a side of a pair whose changes could not be read.
func named(t Tip) change.Set { return change.Set{Name: t.Name, Base: t.Base, Head: t.Head} }

// Ready lists the agents whose work could land now, in an order that gives the fewest conflicts:
// dependencies first, then those that conflict with the fewest others, then by id.
func (b *Builder) Ready(ctx context.Context, state registry.State) ([]registry.Agent, error) {
	var ready []registry.Agent
	var tips []Tip
	for _, a := range state.Agents {
		if a.Status == registry.Complete {
			ready = append(ready, a)
			tips = append(tips, Tip{Name: a.ID, Base: a.Base, Head: a.Head})
		}
	}
	if len(ready) < 2 {
		return ready, nil
	}
	findings, err := b.Compare(ctx, tips, Checked)
	if err != nil {
		return nil, err
	}
	clashes := map[string]int{}
	for _, f := range findings {
		if f.Severity != conflict.Error {
			continue
		}
		for _, name := range f.Agents {
			clashes[name]++
		}
	}
	return order(ready, clashes), nil
}

// order puts the agents with the fewest clashes first, each behind what it depends on.
func order(agents []registry.Agent, clashes map[string]int) []registry.Agent {
	rest := slices.Clone(agents)
	slices.SortStableFunc(rest, func(x, y registry.Agent) int { return clashes[x.ID] - clashes[y.ID] })
	var sorted []registry.Agent
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(a registry.Agent) bool {
			return !slices.ContainsFunc(rest, func(other registry.Agent) bool { return slices.Contains(a.Dependencies, other.ID) })
		})
		next = max(next, 0) // a cycle cannot be in a checked plan; the first is as good as any
		sorted = append(sorted, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return sorted
}

// Combination is what all ready agents make together on the target.
type Combination struct {
	Agents  []string // those whose work merges without conflict, in order
	Left    []string // those that git cannot merge onto the ones before them
	Outcome project.Outcome
	Failing []string // the smallest set found whose combination fails although the target passes
	Runs    int      // verifications that were needed
}

// Combine builds and verifies the agents' work together, away from every checkout, before anyone is asked about a part of it.
// If the combination fails it is narrowed down to a smallest failing set.
func (b *Builder) Combine(ctx context.Context, state registry.State, agents []registry.Agent) (Combination, error) {
	tip, err := b.p.Target(ctx, *state.Session)
	if err != nil {
		return Combination{}, err
	}
	heads := map[string]string{}
	for _, a := range agents {
		heads[a.ID] = a.Head
	}
	var c Combination
	at := tip
	for _, a := range agents {
		next, ok, err := b.stack(ctx, at, heads[a.ID])
		if err != nil {
			return Combination{}, err
		}
		if !ok {
			c.Left = append(c.Left, a.ID)
			continue
		}
		at, c.Agents = next, append(c.Agents, a.ID)
	}
	if len(c.Agents) < 2 || len(b.p.Config.Verify) == 0 {
		c.Outcome.Result = project.NoCommands
		return c, nil
	}
	c.Runs = 1
	if c.Outcome, err = b.p.Verify(ctx, at); err != nil || c.Outcome.Result == project.Pass {
		return c, err
	}
	c.Failing, err = smallestFailing(c.Agents, func(set []string) (bool, error) {
		c.Runs++
		return b.fails(ctx, tip, set, heads)
	})
	return c, err
}

// stack merges head onto at; false if git cannot.
func (b *Builder) stack(ctx context.Context, at, head string) (string, bool, error) {
	merged, err := b.p.Repo.Merge(ctx, at, head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", false, nil
	}
	if err != nil || !merged.Clean {
		return "", false, err
	}
	next, err := b.p.Repo.CommitTree(ctx, merged.Tree, "Combination\n", at, head)
	return next, true, err
}

// fails verifies the target with just these agents on it.
func (b *Builder) fails(ctx context.Context, tip string, set []string, heads map[string]string) (bool, error) {
	at := tip
	for _, id := range set {
		next, ok, err := b.stack(ctx, at, heads[id])
		if err != nil {
			return false, err
		}
		if !ok {
			return true, nil
		}
		at = next
	}
	outcome, err := b.p.Verify(ctx, at)
	return outcome.Result == project.Fail, err
}

// smallestFailing narrows a failing sequence down by prefixes: the last member of the shortest failing prefix is a culprit;
// it is kept, and the rest is searched together with what is kept, until that alone fails.
// The result is minimal as long as adding an agent never repairs what others break. No agent at all failing answers an empty set.
func smallestFailing(all []string, fails func([]string) (bool, error)) ([]string, error) {
	var kept []string
	rest := all
	for {
		bad, err := fails(kept)
		if err != nil || bad {
			return kept, err
		}
		low, high := 1, len(rest) // the prefix of length high is known to fail together with kept
		for low < high {
			middle := (low + high) / 2
			bad, err := fails(inOrder(all, kept, rest[:middle]))
			if err != nil {
				return nil, err
			}
			if bad {
				high = middle
			} else {
				low = middle + 1
			}
		}
		if low > len(rest) || len(rest) == 0 {
			return kept, nil // nothing left to add: what is seen is not stable
		}
		kept = inOrder(all, kept, rest[low-1:low])
		rest = rest[:low-1]
	}
}

// inOrder is the union of the sets in the order of all.
func inOrder(all []string, sets ...[]string) []string {
	var union []string
	for _, id := range all {
		for _, set := range sets {
			if slices.Contains(set, id) {
				union = append(union, id)
				break
			}
		}
	}
	return union
}

// Removable says whether an agent's worktree can go: its work is in the target as it is now, and nothing was added to it since.
// The registry's word that it landed is not enough, a person may have reset the target.
func Removable(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent) (bool, error) {
	if a.Status != registry.Merged {
		return false, nil
	}
	target, err := p.Target(ctx, session)
	if err != nil {
		return false, err
	}
	snap, err := p.TakeHead(ctx, session.ID, a, worktree.ForALook)
	if errors.Is(err, worktree.ErrGone) {
		return false, nil
	}
	if err != nil || snap.Incomplete != "" {
		return false, err
	}
	return p.Repo.IsAncestor(ctx, snap.Head, target)
}
