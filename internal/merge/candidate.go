// Package merge takes an agent's work from a candidate to the target: built, verified, approved, landed, or undone.
//
// A candidate is a frozen value: the target's commit, the agent's head, the tree that both make, and everything that was found about it.
// Its digest covers all of that. A person approves a digest; landing builds the candidate once more and refuses when the digest differs.
package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
	"delegate/worktree"
)

// Kind is what a candidate does to the target.
type Kind string

// The kinds of candidates.
const (
	Landing  Kind = "landing"
	Rollback Kind = "rollback"
)

// Candidate is the tree that a landing would produce, with all that is known of it.
type Candidate struct {
	Kind    Kind
	Session registry.Session
	Agent   registry.Agent
	Target  string // full reference name
	Tip     string // the target's commit
	Theirs  string // what is merged into it: the agent's head, or the commit that takes its landing back
	Prior   string // a commit between Tip and Theirs that brings back what a rollback took away, "" for none
	Tree    string // "" if git's merge fails
	Work    project.Work
	Changes []change.File // what landing changes in the target, renames detected
	// Breaches are changes of the landing outside of the agent's scope.
	Breaches []project.Breach
	Findings []conflict.Finding // between this agent and the target: these can block
	Others   []conflict.Finding // between this agent and agents that have not landed: for information
	Tests    project.Outcome
	Review   []Remark
	Waits    []string // dependencies that must land first
	Digest   string
}

// TargetName is the target's short name.
func (c Candidate) TargetName() string { return strings.TrimPrefix(c.Target, "refs/heads/") }

// Short is how a digest is shown and typed.
func (c Candidate) Short() string { return c.Digest[:7] }

// Failing says whether the verify commands fail on the candidate, so that only an explicit override lands it.
func (c Candidate) Failing() bool { return c.Tests.Result == project.Fail }

// Blocks lists why the candidate must not land now, each with what to do. An empty list means that a person may be asked.
func (c Candidate) Blocks() []string {
	id := c.Agent.ID
	var all []string
	if c.Kind == Landing && c.Agent.Status != registry.Complete && c.Agent.Status != registry.Failed {
		all = append(all, fmt.Sprintf("%s is %s, only COMPLETE work (or FAILED work that is salvaged) can land", id, c.Agent.Status))
	}
	for _, d := range c.Waits {
		all = append(all, fmt.Sprintf("it builds on %s, which must land first: delegate sync merge %s", d, d))
	}
	for _, f := range c.Findings {
		if f.Blocking {
			all = append(all, f.Message)
		}
	}
	for _, b := range c.Breaches {
		advice := fmt.Sprintf("delegate scope %s --drop %s", id, b.Path)
		if b.Allowable {
			advice += ", or --allow " + b.Path
		}
		all = append(all, fmt.Sprintf("outside its scope: %s (%s)", b, advice))
	}
	if c.Work.Incomplete != "" {
		all = append(all, "files that git could not read are missing from its head: "+c.Work.Incomplete)
	}
	if c.Work.Rewritten {
		all = append(all, "its branch does not hold the commit it started from: history was rewritten")
	}
	for _, r := range c.Review {
		if r.Severity == Critical {
			all = append(all, "review: "+r.Text)
		}
	}
	if c.Tree == "" && len(all) == 0 { // it never ran, or git's merge failed in a way that no finding tells
		all = append(all, fmt.Sprintf("there is no merged tree of it: answer it with delegate message %s, or delegate abort %s", id, id))
	}
	if c.Tree != "" && len(c.Changes) == 0 && len(all) == 0 {
		all = append(all, fmt.Sprintf("there is nothing to land: answer it with delegate message %s, or delegate abort %s", id, id))
	}
	return all
}

// Builder makes candidates of one session. It holds readers that Close gives back.
type Builder struct {
	p       *project.Project
	objects *worktree.Objects
	scratch string // folder of what comparisons write, "" before the first
	held    *git.Repo
	pairs   *worktree.Objects
	bases   map[[2]string]string // of two commits their only merge base, as far as it was looked for
	check   []conflict.Checker   // those that confirm or refute what is suspected
}

// NewBuilder opens what building needs.
func NewBuilder(p *project.Project) *Builder {
	b := &Builder{p: p, objects: worktree.NewObjects(p.Repo), bases: map[[2]string]string{}}
	b.check = append([]conflict.Checker{goChecker()}, b.installed()...)
	return b
}

// Close gives open files back and removes what comparisons wrote.
func (b *Builder) Close() error {
	err := b.objects.Close()
	if b.scratch != "" {
		err = errors.Join(err, b.pairs.Close(), os.RemoveAll(b.scratch))
	}
	return err
}

// open makes the quarantine in which comparisons work, so that no object of theirs stays behind.
func (b *Builder) open() error {
	if b.scratch != "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "delegate-compare-")
	if err != nil {
		return fmt.Errorf("make a folder for comparisons: %w", err)
	}
	b.scratch = folder
	if b.held, err = b.p.Repo.Quarantine(folder); err != nil {
		return err
	}
	b.pairs = worktree.NewObjects(b.held)
	return nil
}

// Build makes the candidate that lands one agent on the target as both are now, verifies it away from every checkout, and reviews it.
func (b *Builder) Build(ctx context.Context, state registry.State, id string) (Candidate, error) {
	a, err := project.Find(state, id)
	if err != nil {
		return Candidate{}, err
	}
	c := Candidate{Kind: Landing, Session: *state.Session, Agent: a, Target: "refs/heads/" + state.Session.Target}
	if c.Tip, err = b.p.Target(ctx, c.Session); err != nil {
		return Candidate{}, err
	}
	if a.Turns == 0 {
		c.Digest = c.digest()
		return c, nil // it never ran; Blocks says so
	}
	if c.Work, err = b.p.Work(ctx, c.Session.ID, a, c.Tip); err != nil {
		return Candidate{}, err
	}
	c.Theirs = c.Work.Head
	c.Waits = unlanded(state, a)
	if c.Prior, err = b.reinstated(ctx, c); err != nil {
		return Candidate{}, err
	}
	if err := b.complete(ctx, &c); err != nil {
		return Candidate{}, err
	}
	if c.Others, err = b.others(ctx, state, c); err != nil {
		return Candidate{}, err
	}
	c.Digest = c.digest()
	return c, nil
}

// complete merges, holds the result against the scope, verifies and reviews it.
func (b *Builder) complete(ctx context.Context, c *Candidate) error {
	onto := c.Tip
	if c.Prior != "" {
		onto = c.Prior
	}
	merged, err := b.p.Repo.Merge(ctx, onto, c.Theirs)
	if err != nil && !errors.Is(err, git.ErrNoMergeBase) {
		return err
	}
	if c.Kind == Landing {
		if c.Findings, err = b.againstTarget(ctx, *c, merged, err); err != nil {
			return err
		}
	}
	if !merged.Clean {
		c.Breaches = c.Work.Breaches
		return nil
	}
	c.Tree = merged.Tree
	if c.Changes, err = b.p.Repo.Changes(ctx, c.Tip, c.Tree, git.DetectRenames); err != nil {
		return err
	}
	if err := b.hold(ctx, c); err != nil {
		return err
	}
	probe, err := b.p.Repo.CommitTree(ctx, c.Tree, "Candidate of "+c.Agent.ID+"\n", c.Tip)
	if err != nil {
		return err
	}
	if c.Tests, err = b.p.Verify(ctx, probe); err != nil {
		return err
	}
	c.Review, err = b.review(ctx, *c, probe)
	return err
}

// hold checks every entry that the landing would change in the target, whatever the branch's history says.
func (b *Builder) hold(ctx context.Context, c *Candidate) error {
	if c.Kind == Rollback {
		return nil // it only takes back what had passed
	}
	limits, err := b.p.Scope(c.Agent)
	if err != nil {
		return err
	}
	c.Breaches, err = b.p.Breaches(ctx, limits, c.Tip, c.Tree)
	return err
}

// unlanded are the agent's dependencies that are not in the target.
func unlanded(state registry.State, a registry.Agent) []string {
	var open []string
	for _, id := range a.Dependencies {
		if d, err := state.Agent(id); err == nil && d.Status != registry.Merged {
			open = append(open, id)
		}
	}
	return open
}

// digest covers everything that a person's yes is for.
func (c Candidate) digest() string {
	breaches := []string{}
	for _, b := range c.Breaches {
		breaches = append(breaches, b.String())
	}
	data, err := json.Marshal(struct {
		Kind                                             Kind
		Session, Agent, Target, Tip, Theirs, Prior, Tree string
		Status                                           registry.Status
		Incomplete                                       string
		Rewritten                                        bool
		Breaches                                         []string
		Findings                                         []conflict.Finding
		Tests, Command                                   string
		Review                                           []Remark
		Waits                                            []string
	}{
		c.Kind, c.Session.ID, c.Agent.ID, c.Target, c.Tip, c.Theirs, c.Prior, c.Tree, c.Agent.Status, c.Work.Incomplete, c.Work.Rewritten,
		breaches, c.Findings, string(c.Tests.Result), c.Tests.Command, c.Review, c.Waits,
	})
	if err != nil {
		panic("merge: a candidate is plain data and marshals: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
