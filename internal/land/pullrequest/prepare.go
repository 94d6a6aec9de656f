// Package pullrequest sends approved candidates out as pull requests, and takes over what became of them.
//
// What is pushed is what a person approved, commit for commit, and a journal makes sure that it is pushed once: whoever
// finds one finishes it. Only processes of a person's run this.
package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// Shape says how the work of several agents goes out.
type Shape int

// One request with the work of all, or one for each, based on the one before it.
const (
	Together Shape = iota
	Stacked
)

// Prepare looks at the remote and says where the agents' work is to go: to the requests that they have open, else to
// new ones. It brings the newest commit of the target's branch there here, and nothing else.
func Prepare(ctx context.Context, p *project.Project, state registry.State, ids []string,
	shape Shape) (candidate.Destination, error) {
	to, err := upstream(ctx, p, state)
	if err != nil {
		return to, err
	}
	agents := make([]registry.Agent, 0, len(ids))
	for _, id := range ids {
		a, err := state.Find(id)
		if err != nil {
			return to, err
		}
		agents = append(agents, a)
	}
	branches, err := p.Repo.RemoteRefs(ctx, to.Upstream.Remote, "refs/heads/delegate/*")
	if err != nil {
		return to, err
	}
	groups := [][]registry.Agent{agents}
	if shape == Stacked {
		groups = nil
		for _, a := range agents {
			groups = append(groups, []registry.Agent{a})
		}
	}
	base := to.Upstream.Branch()
	for _, group := range groups {
		r, err := outgoing(group, base, branches)
		if err != nil {
			return to, err
		}
		to.Requests, base = append(to.Requests, r), r.Branch
	}
	return to, nil
}

// upstream is where the session's target lives in its remote, as that is now.
func upstream(ctx context.Context, p *project.Project, state registry.State) (candidate.Destination, error) {
	var to candidate.Destination
	var err error
	if to.Upstream, err = p.Repo.UpstreamOf(ctx, state.Session.Target); err != nil {
		return to, err
	}
	address, err := p.Repo.RemoteURL(ctx, to.Upstream.Remote)
	if err != nil {
		return to, err
	}
	to.Address = git.Masked(address)
	to.Known, err = p.Repo.FetchBranch(ctx, to.Upstream, project.RemoteRef(state.Session.ID))
	return to, err
}

// outgoing is the request for the work of some agents: the one that they have open, or a new one with a branch that
// nobody has.
func outgoing(group []registry.Agent, base string, taken map[string]string) (candidate.Outgoing, error) {
	r := candidate.Outgoing{Base: base}
	var names []string
	for _, a := range group {
		r.Agents, names = append(r.Agents, a.ID), append(names, a.Name)
	}
	old := group[0].PullRequest
	for _, a := range group {
		if pr := a.PullRequest; pr.State == registry.PullRequestOpen && pr.Branch != old.Branch {
			return r, fmt.Errorf("open a pull request for %s: %s has one of its own, %s; close that, or leave %[2]s "+
				"out", strings.Join(names, ", "), a.Name, pr)
		}
	}
	switch old.State {
	case registry.PullRequestOpen:
		if now := taken["refs/heads/"+old.Branch]; now != "" && now != old.Head {
			return r, &PushedError{Request: old, Found: now, Worktree: group[0].Worktree}
		}
		r.Branch, r.Old, r.URL, r.Update = old.Branch, old.Head, old.URL, true
		return r, nil
	case registry.PullRequestClosed, registry.PullRequestMerged: // its branch may be there
		if now := taken["refs/heads/"+old.Branch]; len(group) == 1 && (now == "" || now == old.Head) {
			r.Branch, r.Old = old.Branch, now
			return r, nil
		}
	}
	name := "delegate/" + strings.Join(names, "-")
	if len(name) > longestBranch {
		name = strings.TrimRight(name[:longestBranch], "-")
	}
	r.Branch = name
	for n := 2; taken["refs/heads/"+r.Branch] != ""; n++ {
		r.Branch = fmt.Sprintf("%s-%d", name, n)
	}
	return r, nil
}

// PushedError says that somebody else pushed to the branch of an open request, which an update would take away.
type PushedError struct {
	Request  registry.PullRequest
	Found    string // where the branch is
	Worktree string // of the agent, or of the first of several
}

func (e *PushedError) Error() string {
	return fmt.Sprintf("update the pull request: somebody else pushed to %s on %s: it was left at %.12s, and is at "+
		"%.12s", e.Request.Branch, e.Request.Remote, e.Request.Head, e.Found)
}

// Next is what to type: what was pushed becomes part of the work, and the branch is set back for the update.
func (e *PushedError) Next() string {
	r := e.Request
	return fmt.Sprintf("to take it over: git fetch %[1]s %[2]s, then git -C %[5]s cherry-pick "+
		"%.12[3]s..%.12[4]s, then git push --force-with-lease=%[2]s:%[4]s %[1]s %[3]s:refs/heads/%[2]s; or merge the "+
		"request there as it is: newer work goes out with another one", r.Remote, r.Branch, r.Head, e.Found,
		run.Quote(e.Worktree))
}

// longestBranch is how long the name of a request's branch may be, so that every forge takes it.
const longestBranch = 100

// Linked are the agents whose open requests have to be brought up to date together with that of one of them, in their
// order, and how: those of the same request, or of the requests that are based on one another.
func Linked(state registry.State, id string) ([]string, Shape, error) {
	a, err := state.Find(id)
	if err != nil {
		return nil, Together, err
	}
	if a.PullRequest.State != registry.PullRequestOpen {
		return nil, Together, &NoRequestError{Agent: a.Name}
	}
	open := slices.DeleteFunc(slices.Clone(state.Agents), func(x registry.Agent) bool {
		return x.PullRequest.State != registry.PullRequestOpen || x.PullRequest.Remote != a.PullRequest.Remote ||
			x.Status.Ended()
	})
	var ids []string
	for _, x := range open {
		if x.PullRequest.Branch == a.PullRequest.Branch {
			ids = append(ids, x.ID)
		}
	}
	if len(ids) > 1 {
		return ids, Together, nil
	}
	at := func(match func(registry.PullRequest) bool) int {
		return slices.IndexFunc(open, func(x registry.Agent) bool { return match(x.PullRequest) })
	}
	for first := a.PullRequest; len(ids) <= len(open); { // what it is based on
		i := at(func(r registry.PullRequest) bool { return r.Branch == first.Base })
		if i < 0 {
			break
		}
		ids, first = append([]string{open[i].ID}, ids...), open[i].PullRequest
	}
	for last := a.PullRequest; len(ids) <= len(open); { // what is based on it
		i := at(func(r registry.PullRequest) bool { return r.Base == last.Branch })
		if i < 0 {
			break
		}
		ids, last = append(ids, open[i].ID), open[i].PullRequest
	}
	return ids, Stacked, nil
}

// NoRequestError says that an agent has no open request that could be brought up to date.
type NoRequestError struct{ Agent string }

func (e *NoRequestError) Error() string { return fmt.Sprintf("%s has no open pull request", e.Agent) }

// folder of the person's hooks, "" if none are to run.
func hooksOf(ctx context.Context, repo *git.Repo, run bool) (string, error) {
	if !run {
		return "", nil
	}
	return repo.HooksPath(ctx)
}
