package cleanup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/registry"
)

// Shown says what a person was shown of what goes with the worktrees of a session that ends.
type Shown int

// What was shown.
const (
	Nothing      Shown = iota // a worktree with files that git ignores stays
	IgnoredFiles              // they go with it
)

// RemoveEnded removes what the agents of a session that ends have, where all of it landed: worktrees, branches,
// references, folders. The caller holds the lock of landings.
func RemoveEnded(ctx context.Context, p *project.Project, s registry.Session, agents []registry.Agent,
	shown Shown) ([]Result, error) {
	l, err := newSearch(ctx, p)
	if err != nil {
		return nil, err
	}
	l.ending, l.spend = true, shown == IgnoredFiles
	l.sessions[s.ID] = registry.State{Session: &s, Agents: agents}
	branches, err := p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, a := range agents {
		if a.Worktree == "" {
			continue
		}
		for _, ref := range slices.Sorted(maps.Keys(branches)) {
			w, ours := l.owner(ctx, strings.TrimPrefix(ref, "refs/heads/"))
			if ours && w.session == s.ID && w.agent == a.ID {
				results = append(results, l.removeEnded(ctx, l.at(ctx, w, branches[ref])))
			}
		}
		if branches["refs/heads/"+a.Branch] == "" {
			results = append(results, removeRest(ctx, p, s.ID, a))
		}
	}
	return results, nil
}

// removeEnded removes one attempt. Only the last can be what was merged; of an earlier one all goes that has no work.
func (l *search) removeEnded(ctx context.Context, w work) Result {
	it, err := l.examine(ctx, w)
	if err != nil {
		return Result{it, Failed, project.OneLine(err.Error())}
	}
	a := w.record
	notMerged := &Refusal{Reason: "it has work that is not merged"}
	switch {
	case !w.isLast():
		notMerged.Reason = fmt.Sprintf("attempt %d of %s is not merged", w.attempt, a.Name)
	case a.Status != registry.Merged:
		notMerged.Reason = fmt.Sprintf("%s is %s, and its work is not merged", a.Name, a.Word())
	}
	if w.isLast() && a.Status != registry.Merged || it.Content != Landed {
		it.Refusal = notMerged
	}
	result := l.attempt(ctx, it)
	if result.Outcome == Refused && *result.Refusal == *changed() {
		result.Refusal = notMerged
	}
	return result
}

// removeRest removes what lies next to a worktree, after a crash or another command removed that with its branch.
func removeRest(ctx context.Context, p *project.Project, session string, a registry.Agent) Result {
	r := Result{Item: Item{Session: session, Agent: a.ID, Path: a.Worktree}, Outcome: Gone}
	if _, err := os.Lstat(a.Worktree); err == nil {
		r.Outcome, r.Refusal = Refused, &Refusal{Reason: "its branch " + a.Branch + " is gone"}
	} else if a.Status == registry.Merged {
		if err := removeFolders(ctx, p, session, a); err != nil {
			r.Outcome, r.Error = Failed, project.OneLine(err.Error())
		}
	}
	return r
}

// DropIntegration removes the integration branch: every head that was gathered on it is in the target or kept by its
// agent's references. One with a person's own commits, or that is checked out, stays: land.ErrRefused.
func DropIntegration(ctx context.Context, p *project.Project, s registry.Session) error {
	if s.Integration == "" {
		return nil
	}
	at, ours, err := land.Gathered(ctx, p, s)
	if err != nil || ours == "" {
		return err
	}
	updates := []git.RefUpdate{{Ref: project.IntegrationRef(s.ID), Old: ours}}
	if at != "" {
		updates = append(updates, git.RefUpdate{Ref: "refs/heads/" + s.Integration, Old: at})
	}
	return p.Repo.UpdateRefs(ctx, "delegate: session complete", updates...)
}

// DropRemote removes the reference that says what the target was in its remote, by which landed work was judged. It is
// kept where no branch has its commit.
func DropRemote(ctx context.Context, p *project.Project, s registry.Session) (kept bool, err error) {
	l := &search{p: p}
	ref := project.RemoteRef(s.ID)
	now, found, err := p.Repo.Ref(ctx, ref)
	if err != nil || !found {
		return false, err
	}
	in, err := l.branchesFor(ctx, s.Target)
	if err != nil {
		return false, err
	}
	if name, err := l.within(ctx, now, in); err != nil || name == "" {
		return err == nil, err
	}
	return false, p.Repo.UpdateRefs(ctx, "delegate: session complete", git.RefUpdate{Ref: ref, Old: now})
}
