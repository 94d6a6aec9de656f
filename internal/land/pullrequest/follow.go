package pullrequest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/land/forge"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Outcome is what a look found to have changed for an agent.
type Outcome struct {
	Agent   registry.Agent // as it is now
	Request registry.PullRequest
	Merged  bool // its work is in the target, and it is MERGED now
}

// follower is one look at all requests of a session.
type follower struct {
	p     *project.Project
	state registry.State
	tips  []string // of the target, here and in its remote
}

// Follow brings the target's branch of the remote here and records what became of the requests that are open.
func Follow(ctx context.Context, p *project.Project, state registry.State) ([]Outcome, error) {
	if !followed(state) {
		return nil, nil
	}
	_ = due(p) // a reading command need not look once more
	if _, err := upstream(ctx, p, state); err != nil {
		return nil, err
	}
	return follow(ctx, p, state)
}

// How often a reading command looks, and how long that may take.
const (
	lookEvery = 30 * time.Second
	lookLimit = 5 * time.Second
)

// Peek is Follow for commands that only read: it asks the forge, at most every half minute and not for long, and
// brings nothing here. What is merged there is taken over if its commit is here already.
func Peek(ctx context.Context, p *project.Project, state registry.State) ([]Outcome, error) {
	if !followed(state) || !due(p) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	return follow(ctx, p, state)
}

// followed says whether others decide about anything.
func followed(state registry.State) bool {
	return state.Session != nil && slices.ContainsFunc(state.Agents, isFollowed)
}

func isFollowed(a registry.Agent) bool {
	return !a.Status.Ended() && (a.PullRequest.State == registry.PullRequestOpen ||
		a.PullRequest.State == registry.PullRequestMerged && a.InReview())
}

// due says whether the last look is long enough ago, and notes this one.
func due(p *project.Project) bool {
	file := filepath.Join(p.Private, "requests-seen")
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()).Abs() < lookEvery {
		return false
	}
	return atomicfile.WriteFile(file, nil, 0o600) == nil
}

func follow(ctx context.Context, p *project.Project, state registry.State) ([]Outcome, error) {
	w := &follower{p: p, state: state}
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, err
	}
	if w.tips, err = p.Landings(ctx, state.Session.ID, target); err != nil {
		return nil, err
	}
	forges := map[string]*forge.Forge{}
	seen := map[string]forge.Seen{}
	var all []Outcome
	for _, a := range state.Agents {
		r := a.PullRequest
		if !isFollowed(a) {
			continue
		}
		if forges[r.Remote] == nil {
			if forges[r.Remote], err = forge.Detect(ctx, p.Repo, r.Remote, p.Config.Landing.Forge); err != nil {
				return all, err
			}
		}
		if _, known := seen[r.Branch]; !known && r.URL != "" {
			if seen[r.Branch], err = forges[r.Remote].Look(ctx, r); err != nil {
				return all, fmt.Errorf("look at %s: %w", r, err)
			}
		}
		now, err := w.recordOutcome(ctx, a, seen[r.Branch])
		if err != nil {
			return all, err
		}
		all = append(all, now...)
	}
	return all, nil
}

// recordOutcome records what became of an agent's request; nothing if that is known.
func (w *follower) recordOutcome(ctx context.Context, a registry.Agent, seen forge.Seen) ([]Outcome, error) {
	commit, err := w.landedAs(ctx, a.PullRequest, seen)
	if err != nil {
		return nil, err
	}
	r := a.PullRequest
	switch {
	case commit != "" || seen.State == registry.PullRequestMerged:
		r.State = registry.PullRequestMerged
	case seen.State == registry.PullRequestClosed:
		r.State = registry.PullRequestClosed
	}
	if commit != "" {
		r.Head = commit
	}
	merged := commit != "" && a.InReview()
	if r == a.PullRequest && !merged {
		return nil, nil
	}
	after, err := w.p.Store.Update(ctx, func(tx *registry.Tx) error {
		now, err := tx.State().Agent(a.ID)
		if err != nil || now.PullRequest != a.PullRequest || now.Status != a.Status || now.Head != a.Head {
			return errors.Join(err, errChanged)
		}
		if merged {
			e := registry.Event{Kind: registry.EventMerged, Agent: a.ID, By: "reviewers",
				Details: fmt.Sprintf("%.12s on %s by %s", commit, w.state.Session.Target, r)}
			return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
				a.PullRequest, a.MergeCommit, a.MergedOnto, a.RolledBack = r, commit, "", ""
			})
		}
		e := registry.Event{Kind: registry.EventPullRequest, Agent: a.ID, By: "reviewers",
			Details: fmt.Sprintf("%s %s", r.State, r)}
		return tx.Record(e, func(a *registry.Agent) { a.PullRequest = r })
	})
	if errors.Is(err, errChanged) {
		return nil, nil // the next look sees it as it is
	}
	if err != nil {
		return nil, err
	}
	now, err := after.Agent(a.ID)
	return []Outcome{{Agent: now, Request: r, Merged: merged}}, err
}

// errChanged says that somebody else changed the agent meanwhile.
var errChanged = errors.New("the agent changed meanwhile")

// landedAs is the commit by which the target got what was pushed, "" if it has not got it, as far as is known here.
func (w *follower) landedAs(ctx context.Context, r registry.PullRequest, seen forge.Seen) (string, error) {
	for _, commit := range []string{r.Head, seen.Commit} {
		if commit == "" {
			continue
		}
		if missing, err := w.p.Repo.Missing(ctx, []string{commit}); err != nil || len(missing) > 0 {
			if err != nil {
				return "", err
			}
			continue
		}
		for _, tip := range w.tips {
			if inside, err := w.p.Repo.IsAncestor(ctx, commit, tip); err != nil || inside {
				return commit, err
			}
		}
	}
	if seen.State == registry.PullRequestOpen || seen.State == registry.PullRequestClosed {
		return "", nil
	}
	for _, tip := range w.tips { // a squash or rebase that nobody tells of
		if commit, err := w.squashed(ctx, r.Head, tip); err != nil || commit != "" {
			return commit, err
		}
	}
	return "", nil
}

// mostSearched is how many commits of the target are looked at for a squash.
const mostSearched = 200

// squashed is the first commit on the way to the tip that has all changes of a head in it, "" if the tip has not:
// merging the head changes nothing.
func (w *follower) squashed(ctx context.Context, head, tip string) (string, error) {
	holds, err := w.holds(ctx, tip, head)
	if err != nil || !holds {
		return "", err
	}
	for range mostSearched {
		parents, err := w.p.Repo.Parents(ctx, tip)
		if err != nil || len(parents) == 0 {
			return tip, err
		}
		if holds, err = w.holds(ctx, parents[0], head); err != nil || !holds {
			return tip, err
		}
		tip = parents[0]
	}
	return tip, nil
}

// holds says whether a commit has all changes of a head, other than by its history.
func (w *follower) holds(ctx context.Context, commit, head string) (bool, error) {
	merged, err := w.p.Repo.Merge(ctx, commit, head)
	if errors.Is(err, git.ErrNoMergeBase) || err == nil && !merged.Clean {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tree, err := w.p.Repo.TreeOf(ctx, commit)
	return err == nil && merged.Tree == tree, err
}

// Comments are what others wrote about an agent's request since it was last pushed.
func Comments(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) ([]forge.Comment,
	error) {
	f, err := forge.Detect(ctx, p.Repo, a.PullRequest.Remote, p.Config.Landing.Forge)
	if err != nil || a.PullRequest.URL == "" {
		return nil, err
	}
	pushed, err := session.LastEvent(ctx, p, state.Session.ID, a.ID, registry.EventPullRequest)
	if err != nil {
		return nil, err
	}
	return f.Comments(ctx, a.PullRequest, pushed.Time)
}

// Forget takes a closed request off an agent, which is ready to be merged as any other then.
func Forget(ctx context.Context, p *project.Project, a registry.Agent, who string) error {
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventPullRequest, Agent: a.ID, By: who,
			Details: fmt.Sprintf("left %s, which is %s", a.PullRequest, a.PullRequest.State)}
		return tx.Record(e, func(a *registry.Agent) { a.PullRequest = registry.PullRequest{} })
	})
	return err
}
