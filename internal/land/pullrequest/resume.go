package pullrequest

import (
	"context"
	"errors"
	"strings"

	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/registry"
)

// Continue finishes a publication that was cut short: what is in its journal, and nothing else.
func Continue(ctx context.Context, p *project.Project, ask git.Prompting) ([]Published, error) {
	lock, err := land.Lock(ctx, p)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	j, err := journal.ReadPublication(p)
	if err != nil {
		return nil, err
	}
	w, err := newPublisher(ctx, p, j, ask)
	if err != nil {
		return nil, err
	}
	return w.forward(ctx)
}

// Abandon gives a publication up that was cut short. What the remote has of it is recorded and stays there; nothing
// more is pushed. It answers with what is there.
func Abandon(ctx context.Context, p *project.Project) ([]Published, error) {
	lock, err := land.Lock(ctx, p)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	j, err := journal.ReadPublication(p)
	if err != nil {
		return nil, err
	}
	w, err := newPublisher(ctx, p, j, git.NeverPrompt)
	if other, ok := errors.AsType[*OtherPlaceError](err); ok { // nobody can look there
		w = &publisher{p: p, journal: j}
		return nil, w.giveUp(ctx, "given up by "+j.Who+": "+other.Error())
	}
	if err != nil {
		return nil, err
	}
	var all []Published
	whole := w.journal.Requests
	w.journal.Requests = nil
	for _, r := range whole {
		if there, err := w.forge.Has(ctx, request(r)); err != nil || !there {
			w.journal.Requests = append(w.journal.Requests, r)
			continue
		}
		url, err := w.forge.Open(ctx, request(r))
		if err != nil {
			return nil, err
		}
		is := registry.PullRequest{URL: url, Remote: j.Upstream.Remote, Branch: r.Branch, Base: r.Base,
			State: registry.PullRequestOpen, Head: r.Commit}
		if err := w.record(ctx, r, is); err != nil && !errors.Is(err, project.ErrNoSession) {
			return nil, err
		}
		all = append(all, Published{Agents: agentsOf(r), Request: is, Updated: r.Old != ""})
	}
	return all, w.giveUp(ctx, "given up by "+strings.TrimSpace(j.Who))
}
