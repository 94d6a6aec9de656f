package pullrequest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/forge"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// Published is one request as it is after it went out.
type Published struct {
	Agents  []string
	Request registry.PullRequest
	Updated bool
	ByHand  string // where a person opens it, if this program could not; "" if that is not known
}

// publisher carries one publication through its steps. Each can be taken again after a crash.
type publisher struct {
	p       *project.Project
	forge   *forge.Forge
	journal journal.Publication
}

// Publish sends an approved candidate out. The candidate is built again first; *candidate.VoidError if it is not the
// approved one any more. Where the remote refuses the first push nothing was changed. After any other fault the journal
// stays, and Continue goes on.
func Publish(ctx context.Context, b *candidate.Builder, ok candidate.Approved, ask git.Prompting) ([]Published, error) {
	p := b.Project
	lock, err := land.Lock(ctx, p)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	switch {
	case journal.Unfinished(p):
		return nil, journal.ErrUnfinished
	case journal.Unpublished(p):
		return nil, journal.ErrUnpublished
	}
	state, err := p.Active(ctx)
	if err != nil {
		return nil, err
	}
	again, err := b.Rebuild(ctx, state, ok.Candidate())
	if err != nil {
		return nil, err
	}
	if again.Digest != ok.Candidate().Digest {
		return nil, &candidate.VoidError{Shown: ok.Candidate().Digest, Now: again.Digest}
	}
	if err := candidate.CheckSigned(ctx, p, ok); err != nil {
		return nil, err
	}
	made, err := land.Commits(ctx, p, ok)
	if err != nil {
		return nil, err
	}
	j, err := intent(ctx, p, ok, made)
	if err != nil {
		return nil, err
	}
	w, err := newPublisher(ctx, p, j, ask)
	if err != nil {
		return nil, err
	}
	if err := w.keep(ctx); err != nil {
		return nil, err
	}
	if err := j.Write(p); err != nil {
		return nil, err
	}
	p.Step("publish:journal")
	return w.forward(ctx)
}

func newPublisher(ctx context.Context, p *project.Project, j journal.Publication, ask git.Prompting) (*publisher,
	error) {
	address, err := p.Repo.RemoteURL(ctx, j.Upstream.Remote)
	if err != nil {
		return nil, err
	}
	if now := git.Masked(address); now != j.Address {
		return nil, &OtherPlaceError{Remote: j.Upstream.Remote, Approved: j.Address, Now: now}
	}
	f, err := forge.Detect(ctx, p.Repo, j.Upstream.Remote, p.Config.Landing.Forge)
	if err != nil {
		return nil, err
	}
	f.Prompt = ask
	f.Hooks, err = hooksOf(ctx, p.Repo, p.Config.Landing.Hooks == config.RunHooks)
	return &publisher{p: p, forge: f, journal: j}, err
}

// OtherPlaceError says that a remote is not any more where it was when a person said yes.
type OtherPlaceError struct{ Remote, Approved, Now string }

func (e *OtherPlaceError) Error() string {
	return fmt.Sprintf("the approved pull request was for %s at %q, which is %q now", e.Remote, e.Approved, e.Now)
}

// intent is all that is to go out.
func intent(ctx context.Context, p *project.Project, ok candidate.Approved,
	made []journal.Landed) (journal.Publication, error) {
	c := ok.Candidate()
	j := journal.Publication{Session: c.Session.ID, Digest: c.Digest, Who: ok.Who().Name, Override: ok.Override(),
		Signed: ok.Signed(), Target: c.TargetName(), Upstream: c.To.Upstream, Address: c.To.Address}
	template, err := templateAt(ctx, p.Repo, c.Tip)
	if err != nil {
		return j, err
	}
	for i, out := range c.To.Requests {
		r := journal.PullRequest{Heads: map[string]string{}, Branch: out.Branch, Base: out.Base, Old: out.Old,
			URL: out.URL, Below: i+1 < len(c.To.Requests)}
		for _, one := range made {
			if slices.Contains(out.Agents, one.Agent) {
				r.Heads[one.Agent], r.Commit = one.Head, one.Commit
			}
		}
		r.Title, r.Body = text(p, ok, out, template)
		j.Requests = append(j.Requests, r)
	}
	return j, nil
}

// keep has the commits on the disk, and under references, before anything speaks of them.
func (w *publisher) keep(ctx context.Context) error {
	var updates []git.RefUpdate
	for _, r := range w.journal.Requests {
		for _, id := range agentsOf(r) {
			ref := project.RequestRef(w.journal.Session, id)
			now, _, err := w.p.Repo.Ref(ctx, ref)
			if err != nil {
				return err
			}
			updates = append(updates, git.RefUpdate{Ref: ref, Old: now, New: r.Commit})
		}
	}
	if err := w.p.Repo.UpdateRefs(ctx, "delegate: pull request", updates...); err != nil {
		return err
	}
	return w.p.Repo.Sync()
}

func agentsOf(r journal.PullRequest) []string { return slices.Sorted(maps.Keys(r.Heads)) }

// forward takes every step that is left.
func (w *publisher) forward(ctx context.Context) ([]Published, error) {
	if err := w.recordApproval(ctx); err != nil {
		return nil, err
	}
	w.p.Step("publish:approve")
	var all []Published
	for i, r := range w.journal.Requests {
		q := request(r)
		if err := w.forge.Push(ctx, q); err != nil {
			if i == 0 {
				err = w.stop(ctx, q, err)
			}
			return all, err
		}
		w.p.Step("publish:push")
		url, err := w.forge.Open(ctx, q)
		if err != nil {
			return all, err
		}
		w.p.Step("publish:open")
		done := Published{Agents: agentsOf(r), Updated: r.Old != "", Request: registry.PullRequest{
			URL: url, Remote: w.journal.Upstream.Remote, Branch: r.Branch, Base: r.Base,
			State: registry.PullRequestOpen, Head: r.Commit}}
		if url == "" {
			done.ByHand = w.forge.ByHand(q)
		}
		if err := w.record(ctx, r, done.Request); err != nil {
			return all, err
		}
		w.p.Step("publish:record")
		all = append(all, done)
	}
	if err := journal.RemovePublication(w.p); err != nil {
		return all, err
	}
	w.p.Step("publish:finish")
	return all, nil
}

func request(r journal.PullRequest) forge.Request {
	return forge.Request{Branch: r.Branch, Base: r.Base, Title: r.Title, Body: r.Body, Commit: r.Commit, Old: r.Old,
		URL: r.URL, Below: r.Below}
}

// stop gives a publication up whose first push did not come to an end, if the remote has nothing of it. Else, and where
// nobody can tell, it stays for Continue.
func (w *publisher) stop(ctx context.Context, q forge.Request, why error) error {
	ctx = context.WithoutCancel(ctx)
	there, err := w.forge.Has(ctx, q)
	if err != nil || there {
		return fmt.Errorf("%w: %w", journal.ErrUnpublished, why)
	}
	return errors.Join(why, w.giveUp(ctx, "not pushed: "+project.OneLine(why.Error())))
}

// giveUp ends a publication that goes no further.
func (w *publisher) giveUp(ctx context.Context, why string) error {
	_, err := w.p.Store.Update(ctx, func(tx *registry.Tx) error {
		if tx.State().Session == nil || tx.State().Session.ID != w.journal.Session {
			return nil
		}
		for _, id := range w.agents() {
			if err := tx.Record(registry.Event{Kind: registry.EventInterrupted, Agent: id,
				Details: "pull request " + why, By: w.journal.Who}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return journal.RemovePublication(w.p)
}

// agents are those of all requests.
func (w *publisher) agents() (ids []string) {
	for _, r := range w.journal.Requests {
		ids = append(ids, agentsOf(r)...)
	}
	return ids
}

// recordApproval writes who said yes, once.
func (w *publisher) recordApproval(ctx context.Context) error {
	j := w.journal
	return w.update(ctx, func(tx *registry.Tx) error {
		var rows []registry.Event
		for _, r := range j.Requests {
			for _, id := range agentsOf(r) {
				if j.Override {
					rows = append(rows, registry.Event{Kind: registry.EventOverridden, Agent: id,
						Details: fmt.Sprintf("failing tests accepted, digest %.7s", j.Digest), By: j.Who})
				}
				rows = append(rows, registry.Event{Kind: registry.EventApproved, Agent: id,
					By: j.Who, Details: fmt.Sprintf("pull request of %.12s into %s, digest %.7s", r.Commit, r.Base,
						j.Digest)})
			}
		}
		return recordOnce(tx, rows)
	})
}

// recordOnce adds the rows that are not there yet.
func recordOnce(tx *registry.Tx, rows []registry.Event) error {
	known := tx.State().Events
	for _, e := range rows {
		if slices.ContainsFunc(known, func(k registry.Event) bool {
			return k.Kind == e.Kind && k.Agent == e.Agent && k.Details == e.Details
		}) {
			continue
		}
		if err := tx.Record(e, nil); err != nil {
			return err
		}
	}
	return nil
}

// update changes the registry of the publication's session.
func (w *publisher) update(ctx context.Context, change func(*registry.Tx) error) error {
	_, err := w.p.Store.Update(ctx, func(tx *registry.Tx) error {
		if s := tx.State().Session; s == nil || s.ID != w.journal.Session {
			return project.ErrNoSession
		}
		return change(tx)
	})
	return err
}

// record writes that a request is open, once.
func (w *publisher) record(ctx context.Context, r journal.PullRequest, is registry.PullRequest) error {
	verb := "opened"
	if r.Old != "" {
		verb = "updated"
	}
	return w.update(ctx, func(tx *registry.Tx) error {
		for _, id := range agentsOf(r) {
			a, err := tx.State().Agent(id)
			if err != nil {
				return err
			}
			own := is
			own.Of = r.Heads[id]
			if a.PullRequest == own {
				continue
			}
			e := registry.Event{Kind: registry.EventPullRequest, Agent: id, By: w.journal.Who,
				Details: fmt.Sprintf("%s %s into %s as %.12s", verb, own, own.Base, own.Head)}
			if err := tx.Record(e, func(a *registry.Agent) {
				a.PullRequest, a.Signed = own, w.journal.Signed
				a.Head = cmp.Or(own.Of, a.Head) // what a person edited after its turn went out as well
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
