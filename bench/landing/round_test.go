//go:build bench

package landing

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/registry"
)

// round is what both sides took once.
type round struct {
	git, build, again, land phases
}

// round measures both sides once, each in a clone of its own. Even rounds begin with git.
func (u *upstream) round(ctx context.Context, folder string, n int) (r round, err error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	sides := []func() error{
		func() (err error) { r.git, err = u.byGit(ctx, filepath.Join(folder, "git")); return err },
		func() (err error) {
			return u.byDelegate(ctx, filepath.Join(folder, "delegate"), &r)
		},
	}
	for i := range sides {
		if err := sides[(i+n)%2](); err != nil {
			return r, err
		}
	}
	return r, nil
}

// clone makes a copy with the branches of the upstream as its remote ones.
func (u *upstream) clone(ctx context.Context, folder string) (*upstream, error) {
	if _, err := u.git(ctx, "clone", "--quiet", "--no-local", u.folder, folder); err != nil {
		return nil, err
	}
	c := *u
	c.folder = folder
	return &c, nil
}

// byGit merges branch after branch in a checkout, as a person would who asks nothing.
func (u *upstream) byGit(ctx context.Context, folder string) (phases, error) {
	c, err := u.clone(ctx, folder)
	if err != nil {
		return phases{}, err
	}
	begun, before := time.Now(), processorTime()
	for _, b := range c.branches {
		if _, err := c.git(ctx, "merge", "--quiet", "--no-ff", "--no-edit", "origin/"+b.name); err != nil {
			return phases{}, err
		}
	}
	return phases{took: time.Since(begun), spent: processorTime() - before}, c.complete(ctx)
}

// complete checks that the newer release is on main and in the checkout.
func (u *upstream) complete(ctx context.Context) error {
	tree, err := u.git(ctx, "rev-parse", "main^{tree}")
	if err != nil {
		return err
	}
	if tree != u.goal {
		return fmt.Errorf("%q: the tree on main is %.12s, but the release is %.12s", u.folder, tree, u.goal)
	}
	left, err := u.git(ctx, "status", "--porcelain", "--", ".", ":!docs/logs")
	if err == nil && left != "" {
		err = fmt.Errorf("%q: the checkout is not that of main:\n%s", u.folder, left)
	}
	return err
}

// byDelegate lands all branches as the work of agents: one candidate, the same once more by another
// builder, one yes, one landing.
func (u *upstream) byDelegate(ctx context.Context, folder string, r *round) error {
	c, err := u.clone(ctx, folder)
	if err != nil {
		return err
	}
	p, err := project.Open(ctx, folder, project.Options{})
	if err != nil {
		return err
	}
	ids, err := c.delegated(ctx, p)
	if err != nil {
		return err
	}
	b := candidate.New(p)
	defer b.Close()
	var built candidate.Candidate
	if r.build, err = sampled(func() error {
		built, err = buildNow(ctx, b, ids)
		return err
	}); err != nil {
		return err
	}
	if err := describeFound(built); err != nil {
		return err
	}
	if r.again, err = sampled(func() error { return same(ctx, folder, ids, built) }); err != nil {
		return err
	}
	if r.land, err = sampled(func() error {
		ok, err := candidate.Approve(built,
			candidate.Consent{Digest: built.Digest, Who: git.Person{Name: person, Email: "pat@example.org"}})
		if err != nil {
			return err
		}
		_, err = land.Land(ctx, b, ok)
		return err
	}); err != nil {
		return err
	}
	return c.complete(ctx)
}

func buildNow(ctx context.Context, b *candidate.Builder, ids []string) (candidate.Candidate, error) {
	state, err := b.Project.Active(ctx)
	if err != nil {
		return candidate.Candidate{}, err
	}
	return b.Build(ctx, state, ids...)
}

// describeFound prints what was found in a form in which two programs can be compared: where the digest is the same, so
// is each word of it.
func describeFound(c candidate.Candidate) error {
	found, all := 0, [][]conflict.Finding{c.Others}
	for _, m := range c.Members {
		found += len(m.Findings)
		all = append(all, m.Findings)
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	fmt.Printf("%d findings in the candidate, digest %x\n", found, sha256.Sum256(text))
	if name := os.Getenv("FOUND"); name != "" {
		return os.WriteFile(name, text, 0o600)
	}
	return nil
}

// same builds the candidate by another project and builder, as the next command does, and checks
// that it has the same digest.
func same(ctx context.Context, folder string, ids []string, built candidate.Candidate) (err error) {
	p, err := project.Open(ctx, folder, project.Options{})
	if err != nil {
		return err
	}
	b := candidate.New(p)
	defer func() { err = errors.Join(err, b.Close()) }()
	again, err := buildNow(ctx, b, ids)
	if err == nil && again.Digest != built.Digest {
		err = fmt.Errorf("the second look has the digest %.12s, the first %.12s", again.Digest, built.Digest)
	}
	return err
}

const person = "Pat"

// delegated makes a session in which every branch is the work of an agent that has completed it,
// and answers with their ids.
func (u *upstream) delegated(ctx context.Context, p *project.Project) ([]string, error) {
	branch, base, err := p.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	whole := &plan.Plan{Title: u.module + " " + u.to}
	for i, b := range u.branches {
		whole.Subtasks = append(whole.Subtasks,
			plan.Subtask{Number: i + 1, Name: b.name, Description: "A part of the release.", Allowed: b.paths,
				Type: plan.Quick})
	}
	state, err := control.Start(ctx, p, control.StartRequest{Plan: whole, Target: branch, Base: base,
		Approved: person})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, a := range state.Agents {
		ids = append(ids, a.ID)
	}
	if err := u.spawned(ctx, p, ids, base); err != nil {
		return nil, err
	}
	return ids, u.completed(ctx, p, base)
}

// spawned gives each agent its worktree, with the branch's commit in it.
func (u *upstream) spawned(ctx context.Context, p *project.Project, ids []string, base string) error {
	state, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, id := range ids {
			if err := tx.Transition(id, registry.Event{Kind: registry.EventSpawning}, registry.Supervisor,
				func(a *registry.Agent) {
					session.Place(p, a, 1)
					a.Base, a.Head = base, base
				}); err != nil {
				return err
			}
			if err := tx.Transition(id, registry.Event{Kind: registry.EventSpawned}, registry.Supervisor,
				func(a *registry.Agent) {
					a.Turns = 1
				}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, a := range state.Agents {
		if _, err := takeover.Create(ctx, p.Repo,
			takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: u.branches[i].head}); err != nil {
			return err
		}
	}
	return nil
}

// completed takes every agent's head, as the end of its turn does.
func (u *upstream) completed(ctx context.Context, p *project.Project, base string) error {
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	heads := map[string]project.Work{}
	for _, a := range state.Agents {
		if heads[a.ID], err = p.Work(ctx, state.Session.ID, a, base); err != nil {
			return err
		}
	}
	_, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		for id, work := range heads {
			if err := tx.Transition(id, registry.Event{Kind: registry.EventComplete}, registry.Supervisor,
				func(a *registry.Agent) {
					a.Head = work.Head
					for _, f := range work.Files {
						a.FilesModified = append(a.FilesModified, f.Path)
					}
				}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
