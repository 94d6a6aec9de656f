package session

import (
	"context"
	"fmt"

	"delegate/internal/project"
	"delegate/registry"
)

// AdaptUnfinishedError says that an agent's worktree was brought up to date and that this was cut
// off before the agent was told.
type AdaptUnfinishedError struct{ Agent string }

func (e *AdaptUnfinishedError) Error() string {
	return fmt.Sprintf("%s was being brought up to date when that was cut off; finish it: delegate adapt %s", e.Agent,
		e.Agent)
}

// Unlanded are the heads of unlanded work that an agent builds on, in the order of its dependencies.
func Unlanded(state registry.State, a registry.Agent) []string {
	var heads []string
	for _, id := range a.Dependencies {
		d, err := state.Agent(id)
		if err == nil && d.Head != "" && !d.Status.Ended() {
			heads = append(heads, d.Head)
		}
	}
	return heads
}

// NewBase is what an agent's work begins from: the target's tip now, or for an agent that builds on
// unlanded work a merge of the target and those heads.
func NewBase(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (string, error) {
	base, err := p.Target(ctx, *state.Session)
	if err != nil {
		return "", err
	}
	for _, head := range Unlanded(state, a) {
		merged, err := p.Repo.Merge(ctx, base, head)
		if err != nil {
			return "", err
		}
		if !merged.Clean {
			return "", fmt.Errorf("base for %s: %.12s, which it builds on, does not merge with the target and its "+
				"other dependencies", a.ID, head)
		}
		message := fmt.Sprintf("Base for %s with %.12s\n\nDelegate-Session: %s\n", a.ID, head, state.Session.ID)
		if base, err = p.Repo.CommitTree(ctx, merged.Tree, message, base, head); err != nil {
			return "", err
		}
	}
	return base, nil
}
