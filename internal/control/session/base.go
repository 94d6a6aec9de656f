package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

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

// newest is the target, or as its remote has it where others merged work of the session there and the target is behind
// that.
func newest(ctx context.Context, p *project.Project, state registry.State, target string) (string, error) {
	there, err := mergedThere(ctx, p, state, target)
	if err != nil || there == "" {
		return target, err
	}
	if behind, err := p.Repo.IsAncestor(ctx, target, there); err != nil || !behind {
		return target, err
	}
	return there, nil
}

// mergedThere is the target as its remote has it, where others merged work of the session there; "" where nobody did,
// or where that is the target's own commit.
func mergedThere(ctx context.Context, p *project.Project, state registry.State, target string) (string, error) {
	if !slices.ContainsFunc(state.Agents, mergedByOthers) {
		return "", nil
	}
	landings, err := p.Landings(ctx, state.Session.ID, target)
	if err != nil || len(landings) < 2 {
		return "", err
	}
	return landings[1], nil
}

func mergedByOthers(a registry.Agent) bool {
	return a.Status == registry.Merged && a.PullRequest.State == registry.PullRequestMerged
}

// Unpulled is what others merged of a session in the target's remote and the target here does not have.
type Unpulled struct {
	Target string
	Place  string // where it is, such as origin/main
	Tip    string // the target's commit there
	Behind bool   // the target here has nothing that is not there
	Agents []registry.Agent
}

// None says that the target has all of it.
func (u Unpulled) None() bool { return len(u.Agents) == 0 }

// FindUnpulled looks for it, as far as this program saw the remote.
func FindUnpulled(ctx context.Context, p *project.Project, state registry.State, target string) (Unpulled, error) {
	u := Unpulled{Target: state.Session.Target}
	var err error
	if u.Tip, err = mergedThere(ctx, p, state, target); err != nil || u.Tip == "" {
		return u, err
	}
	for _, a := range state.Agents {
		if !mergedByOthers(a) || a.MergeCommit == "" {
			continue
		}
		has, err := p.Repo.IsAncestor(ctx, a.MergeCommit, target)
		if err != nil {
			return u, err
		}
		if !has {
			u.Agents = append(u.Agents, a)
		}
	}
	if u.None() {
		return u, nil
	}
	if u.Behind, err = p.Repo.IsAncestor(ctx, target, u.Tip); err != nil {
		return u, err
	}
	upstream, err := p.Repo.UpstreamOf(ctx, u.Target)
	u.Place = upstream.String()
	if errors.Is(err, git.ErrNoRemote) { // it was removed since
		u.Place, err = u.Target+" of its remote", nil
	}
	return u, err
}

// String is it in a sentence without its end.
func (u Unpulled) String() string {
	var names []string
	for _, a := range u.Agents {
		names = append(names, a.Name)
	}
	return fmt.Sprintf("%s does not have what is merged as %s: %s", u.Target, u.Place, strings.Join(names, ", "))
}

// Next is what brings it here.
func (u Unpulled) Next() string { return "git pull" }

// FirstBase is what an agent's worktree is made from: the commit of the key base, or for an agent that builds on merged
// work which that commit lacks, or where there is no such key, the target's tip now; merged with the heads of unlanded
// work that it builds on. A *BaseError if the key names no such commit.
func FirstBase(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (string, error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return "", err
	}
	base, err := Start(ctx, p, state.Session.Target, target)
	if err != nil {
		return "", err
	}
	for _, other := range state.Agents {
		if other.Status != registry.Merged || !slices.Contains(a.Dependencies, other.ID) {
			continue
		}
		if has, err := p.Repo.IsAncestor(ctx, other.MergeCommit, base); err != nil || !has {
			return NewBase(ctx, p, state, a)
		}
	}
	if p.Config.Base == "" {
		return NewBase(ctx, p, state, a)
	}
	return withUnlanded(ctx, p, state, a, base)
}

// Start is the commit that agents start from whose work is merged into the target, which has this tip: the tip, or what
// the key base names. That has to be contained in the target: a landing would merge all else that it has, which nobody
// reviewed. Else a *BaseError.
func Start(ctx context.Context, p *project.Project, target, tip string) (string, error) {
	ref := p.Config.Base
	if ref == "" {
		return tip, nil
	}
	base, err := p.Repo.Resolve(ctx, ref)
	if errors.Is(err, git.ErrNoCommit) {
		return "", &BaseError{Ref: ref, Target: target}
	}
	if err != nil {
		return "", err
	}
	inside, err := p.Repo.IsAncestor(ctx, base, tip)
	if err != nil || inside {
		return base, err
	}
	_, ahead, err := p.Repo.Subjects(ctx, tip, base, 0)
	if err != nil {
		return "", err
	}
	return "", &BaseError{Ref: ref, Target: target, Ahead: ahead}
}

// BaseError says that agents cannot start from what the key base names.
type BaseError struct {
	Ref, Target string
	Ahead       int // commits that the target does not have; 0 if it names no commit
}

func (e *BaseError) Error() string {
	if e.Ahead == 0 {
		return fmt.Sprintf("base: %q in %s names no commit", e.Ref, config.FileName)
	}
	return fmt.Sprintf("base: %q in %s is ahead of %q by %d: a landing would merge what nobody reviewed", e.Ref,
		config.FileName, e.Target, e.Ahead)
}

// NewBase is what an agent's work is to fit, and to be merged with to bring it up to date: the target's tip now, or for
// an agent that builds on unlanded work a merge of the target and those heads.
func NewBase(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (string, error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return "", err
	}
	base, err := newest(ctx, p, state, target)
	if err != nil {
		return "", err
	}
	return withUnlanded(ctx, p, state, a, base)
}

// withUnlanded is a merge of a commit with the heads of unlanded work that the agent builds on.
func withUnlanded(ctx context.Context, p *project.Project, state registry.State, a registry.Agent,
	base string,
) (string, error) {
	for _, head := range Unlanded(state, a) {
		merged, err := p.Repo.Merge(ctx, base, head)
		if err != nil {
			return "", err
		}
		if !merged.Clean {
			return "", fmt.Errorf("base for %s: %.12s, which it builds on, does not merge with the base branch and "+
				"its other dependencies", a.ID, head)
		}
		message := fmt.Sprintf("Base for %s with %.12s\n\nDelegate-Session: %s\n", a.ID, head, state.Session.ID)
		if base, err = p.Repo.CommitTree(ctx, merged.Tree, message, base, head); err != nil {
			return "", err
		}
	}
	return base, nil
}
