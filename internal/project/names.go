package project

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"delegate/registry"
)

// PlannerFolder is the folder of a planner among those of sessions.
const PlannerFolder = "planner"

// CheckName is a *registry.NameError for a name that no new agent of the session can have.
func (p *Project) CheckName(ctx context.Context, state registry.State, name string) error {
	return state.CheckName(name, func(name string) bool { return p.named(ctx, name) })
}

// named reports whether an agent cannot have a name because something else has it: a branch of that
// name or of an attempt of it, or a folder where its worktree would be. Where git cannot say it,
// making the branch will.
func (p *Project) named(ctx context.Context, name string) bool {
	if name == PlannerFolder || p.IsScratch(name) {
		return true
	}
	folders := entryNames(p.WorktreeRoot())
	branches, _ := p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	for ref := range branches {
		first, _, _ := strings.Cut(strings.TrimPrefix(ref, "refs/heads/delegate/"), "/")
		folders = append(folders, first)
	}
	return slices.ContainsFunc(folders, func(at string) bool {
		first, _, _ := strings.Cut(at, ".")
		return strings.EqualFold(first, name)
	})
}

// IsScratch reports whether a folder among the worktrees is one in which commits are verified, or the
// home of its commands.
func (p *Project) IsScratch(name string) bool {
	return slices.ContainsFunc(p.someScratches(mostScratches), func(s scratch) bool {
		return filepath.Base(s.path) == name || filepath.Base(s.home) == name
	})
}

// owns reports whether a reference is a branch of an agent of the state's session, or one that the agent made beside.
func owns(state registry.State, ref string) bool {
	branch, found := strings.CutPrefix(ref, "refs/heads/delegate/")
	if !found || state.Session == nil {
		return false
	}
	first, _, _ := strings.Cut(branch, "/")
	name, _, _ := strings.Cut(first, ".")
	return first == state.Session.ID ||
		slices.ContainsFunc(state.Agents, func(a registry.Agent) bool { return a.Name == name })
}
