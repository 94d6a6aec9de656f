package candidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/bisect"
	"delegate/internal/land/compare"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// Build makes the candidate that lands the agents on the target as all of them are now, one after
// the other in the given order. It is verified away from every checkout, and reviewed. A member
// that cannot be merged ends the merging; Blocks says why. *BehindError where the target here is not up to date.
func (b *Builder) Build(ctx context.Context, state registry.State, ids ...string) (Candidate, error) {
	return b.beside(ctx, state)(b.onTarget(ctx, state, ids))
}

// beside adds to a candidate how it does with the work of other agents. Its digest does not cover that.
func (b *Builder) beside(ctx context.Context, state registry.State) func(Candidate, error) (Candidate, error) {
	return func(c Candidate, err error) (Candidate, error) {
		if err == nil {
			c.Others, err = b.others(ctx, state, c)
		}
		return c, err
	}
}

func (b *Builder) onTarget(ctx context.Context, state registry.State, ids []string) (Candidate, error) {
	c := Candidate{Kind: Landing, Session: *state.Session, ModeName: b.Project.Config.Landing.Mode,
		Target: "refs/heads/" + state.Session.Target}
	err := b.UpToDate(ctx, state)
	if err != nil {
		return Candidate{}, err
	}
	if c.Tip, err = b.Project.Target(ctx, c.Session); err != nil {
		return Candidate{}, err
	}
	return b.build(ctx, state, c, ids)
}

// build completes a landing of the agents onto the tip that it has.
func (b *Builder) build(ctx context.Context, state registry.State, c Candidate, ids []string) (Candidate, error) {
	for _, id := range ids {
		a, err := state.Find(id)
		if err != nil {
			return Candidate{}, err
		}
		if slices.Contains(c.IDs(), a.ID) {
			return Candidate{}, fmt.Errorf("land %s: it is named twice", a.ID)
		}
		c.Members = append(c.Members, Member{Agent: a, Waits: unlanded(state, a, c.IDs())})
	}
	merged, err := b.mergeMembers(ctx, &c, state.Agents)
	if err != nil {
		return Candidate{}, err
	}
	b.compare.Remember()
	if merged {
		if err := b.finish(ctx, &c); err != nil {
			return Candidate{}, err
		}
		b.compare.Remember() // what the review says
	}
	if c.Message = b.Message; c.Message != "" && len(c.Members[0].Replayed) > 1 {
		return Candidate{}, fmt.Errorf("land %s: it brings %d commits, each with its own message (landing.mode: "+
			"rebase), so it takes no other", c.Title(), len(c.Members[0].Replayed))
	}
	c.Digest = c.digest(b.Project.Config.Verify)
	return c, nil
}

// mergeMembers merges the members onto the target, one after the other, and compares each with what lies below it;
// false if one of them never ran or does not merge.
func (b *Builder) mergeMembers(ctx context.Context, c *Candidate, agents []registry.Agent) (bool, error) {
	outcomes, err := b.mergeEach(ctx, c, agents)
	if err != nil {
		return false, err
	}
	last := c.Members[len(c.Members)-1]
	return last.Tree != "", b.findBelow(ctx, c, outcomes)
}

// mergeEach ends with the first member that never ran or does not merge.
func (b *Builder) mergeEach(ctx context.Context, c *Candidate, agents []registry.Agent) (all []outcome, err error) {
	all, err = b.mergeHeads(ctx, c, agents)
	if err != nil {
		return nil, err
	}
	var made []git.Span
	for i := range all {
		if m := c.Members[i]; m.Tree != "" {
			made = append(made, git.Span{Base: m.Base, Head: m.Commit})
		}
	}
	lists, err := b.Project.Repo.ChangesEach(ctx, made)
	if err != nil {
		return nil, err
	}
	for i, files := range lists {
		c.Members[i].Changes = files
		if err := b.measure(ctx, c, &c.Members[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mergeHeads takes the heads of the members together, and merges them one onto the other.
func (b *Builder) mergeHeads(ctx context.Context, c *Candidate, agents []registry.Agent) (all []outcome, err error) {
	var ran []registry.Agent
	for _, m := range c.Members {
		if m.Agent.Turns == 0 {
			break // Blocks says so
		}
		ran = append(ran, m.Agent)
	}
	at := c.Tip
	for i, head := range b.Project.TakeHeads(ctx, c.Session.ID, ran) {
		m := &c.Members[i]
		m.Base = at
		if m.Work, err = b.Project.WorkAt(ctx, m.Agent, at, head); err != nil {
			return nil, err
		}
		m.Head = m.Work.Head
		ours, theirs, err := b.Project.MergeParents(ctx,
			project.MergeInputs{Agents: agents, Agent: m.Agent, Base: at, Head: m.Head})
		if err != nil {
			return nil, err
		}
		if ours != at || theirs != m.Head {
			m.Parents = [2]string{ours, theirs}
		}
		made, err := b.mergeMember(ctx, c, m)
		if all = append(all, made); err != nil || m.Tree == "" {
			return all, err
		}
		at = m.Commit
	}
	if len(ran) < len(c.Members) {
		c.Members[len(ran)].Base = at
	}
	return all, nil
}

// mergeMember merges one member onto what lies below it.
func (b *Builder) mergeMember(ctx context.Context, c *Candidate, m *Member) (o outcome, err error) {
	ours, theirs := m.Base, m.Head
	if m.HasParents() {
		ours, theirs = m.Parents[0], m.Parents[1]
	}
	o.merged, o.failed = b.Project.Repo.Merge(ctx, ours, theirs)
	if o.failed != nil && !errors.Is(o.failed, git.ErrNoMergeBase) {
		return o, o.failed
	}
	if o.failed == nil && !o.merged.Clean && c.Kind == Landing {
		if o.merged, err = b.decided(ctx, m, o.merged); err != nil {
			return o, err
		}
	}
	if !o.merged.Clean {
		m.Breaches = m.Work.Breaches
		return o, nil
	}
	m.Tree = o.merged.Tree
	m.Commit, err = b.Project.Repo.CommitTreeLike(ctx, m.Tree, "Candidate of "+m.Agent.ID+"\n", m.Base, m.Head)
	return o, err
}

// measure holds what a member that merges changes below it against its scope.
func (b *Builder) measure(ctx context.Context, c *Candidate, m *Member) error {
	limits, err := b.Project.Scope(m.Agent)
	if err != nil {
		return err
	}
	if m.Breaches, err = b.Project.Breaches(ctx, limits, m.Base, m.Tree, m.Changes); err != nil {
		return err
	}
	m.Breaches = append(m.Breaches, m.Work.LeftOut...)
	m.Replayed, err = c.Mode().Replay(ctx, b.Project.Repo, *m)
	return err
}

// decided is the merge with what a person decided about its clashes, as far as that goes.
func (b *Builder) decided(ctx context.Context, m *Member, merged git.Merged) (git.Merged, error) {
	applied, err := b.resolutions.Apply(ctx, b.Project.Repo, merged)
	if err != nil {
		return merged, err
	}
	m.Resolved, m.Open = applied.Used, applied.Open
	if applied.Tree == "" {
		return merged, nil
	}
	return git.Merged{Tree: applied.Tree, Clean: true}, nil
}

// finish verifies and reviews what the members make together.
func (b *Builder) finish(ctx context.Context, c *Candidate) error {
	last := c.Members[len(c.Members)-1]
	c.Tree = last.Tree
	var err error
	if c.Changes = last.Changes; last.Base != c.Tip {
		if c.Changes, err = b.Project.Repo.Changes(ctx, c.Tip, c.Tree, git.DetectRenames); err != nil {
			return err
		}
	}
	if c.Tests, err = b.Project.Verify(ctx, last.Commit); err != nil {
		return err
	}
	if c.Kind == Landing {
		if err := b.explain(ctx, c); err != nil {
			return err
		}
	}
	if c.Review, err = b.review(ctx, *c, last.Commit); err != nil {
		return err
	}
	c.Notes = c.Mode().Notes(c.Members)
	hooks, err := hooksNote(ctx, b.Project, c.Changes)
	if hooks != "" {
		c.Notes = append(c.Notes, hooks)
	}
	return err
}

// explain looks for the reason why the tests of a landing fail, in the target first, and remembers what it found for
// whoever asks how the work is.
func (b *Builder) explain(ctx context.Context, c *Candidate) (err error) {
	last, known := c.Members[len(c.Members)-1], !c.Failing()
	for _, m := range c.Members {
		known = known || slices.ContainsFunc(m.Findings, bisect.Explains)
	}
	if !known {
		if c.TargetTests, err = bisect.Alone(ctx, b.Project, c.Tip, c.Tests.Command); err != nil {
			return err
		}
	}
	if c.TargetTests.Result != "" {
		if err := failingTarget(*c).Keep(b.Project, c.Session.ID); err != nil {
			return err
		}
	}
	if len(c.Members) > 1 {
		return nil // Combine tells of several agents
	}
	var failed session.FailedTests
	if c.Failing() {
		failed = session.FailedTests{Head: last.Head, Tip: c.Tip, Command: c.Tests.Command}
	}
	if err := failed.Keep(b.Project, c.Session.ID, last.Agent); err != nil || known || c.TargetFails() ||
		last.Work.Fork == last.Base {
		return err
	}
	sides := [2]objects.Span{
		{Name: last.Agent.ID, Base: last.Work.Fork, Head: last.Head},
		{Name: project.TargetName, Base: last.Work.Fork, Head: last.Base},
	}
	c.Attribution, err = bisect.Attribute(ctx, b.Project, sides, last.Commit)
	return err
}

// failingTarget is what the candidate shows of its target alone.
func failingTarget(c Candidate) session.FailingTarget {
	if !c.TargetFails() {
		return session.FailingTarget{}
	}
	return session.FailingTarget{Tip: c.Tip, Command: c.TargetTests.Command, Reason: c.TargetTests.Reason}
}

// unlanded are the agent's dependencies that are neither in the target nor below it in the
// candidate. One that was given up will never be: its dependent was sent back, and what it still
// has of that work is outside of its scope.
func unlanded(state registry.State, a registry.Agent, below []string) []string {
	var open []string
	for _, id := range a.Dependencies {
		if d, err := state.Agent(id); err == nil && d.Status != registry.Merged && d.Status != registry.Aborted &&
			!slices.Contains(below, d.ID) {
			open = append(open, id)
		}
	}
	return open
}

// Recheck is a *VoidError if a candidate is not any more what it was when it was shown.
func (b *Builder) Recheck(ctx context.Context, shown Candidate) error {
	state, err := b.Project.Active(ctx)
	if err != nil {
		return err
	}
	now, err := b.Rebuild(ctx, state, shown)
	if err == nil && now.Digest != shown.Digest {
		err = &VoidError{Shown: shown.Digest, Now: now.Digest}
	}
	return err
}

// Rebuild makes the candidate once more, by the configuration as it is now: rules that were changed
// while the question was open count. How it does with the work of others is as it was shown.
func (b *Builder) Rebuild(ctx context.Context, state registry.State, c Candidate) (Candidate, error) {
	now, err := config.Load(b.Project.Main)
	if err != nil {
		return Candidate{}, err
	}
	b.Project.Config = now
	if c.Kind == Rollback {
		return b.BuildRollback(ctx, state, c.Members[0].Agent.ID)
	}
	again := Candidate{}
	if c.To != nil {
		again, err = b.forRequest(ctx, state, *c.To, c.IDs())
	} else {
		again, err = b.onTarget(ctx, state, c.IDs())
	}
	again.Others = c.Others
	return again, err
}

// Builder makes candidates of one session. It holds readers that Close gives back.
type Builder struct {
	Project     *project.Project
	Message     string // Candidate.Message of all that it builds
	compare     *compare.Comparer
	resolutions *threeway.Resolutions // what persons decided about clashes
	seen        map[string]seenWork   // by agent, of those that rest
}

// seenWork is an agent's work as it was read for a sequence, with the head that the registry had.
type seenWork struct {
	objects.Span
	head string
}

// New opens what building needs.
func New(p *project.Project) *Builder {
	return &Builder{Project: p, compare: compare.New(p), resolutions: threeway.NewResolutions(p.Repo)}
}

// Close gives open files back and removes what comparisons wrote.
func (b *Builder) Close() error { return b.compare.Close() }

// Comparer is what the builder compares with, for who compares the same work before. It lives as long as the builder.
func (b *Builder) Comparer() *compare.Comparer { return b.compare }

// Approved is a candidate that a person said yes to. Only Approve makes one, and landing takes nothing else.
type Approved struct {
	candidate Candidate
	who       git.Person
	override  bool
	signed    string
}

// Candidate is what was approved.
func (ok Approved) Candidate() Candidate { return ok.candidate }

// Who approved it; the zero Person where nobody did (Unapproved).
func (ok Approved) Who() git.Person { return ok.who }

// Override reports whether failing tests were accepted.
func (ok Approved) Override() bool { return ok.override }

// Signed is the statement that they signed, with its signature; "" where nothing was signed.
func (ok Approved) Signed() string { return ok.signed }

// Unapproved is a candidate that is gathered on an integration branch, which nobody has approved. It cannot land.
func Unapproved(c Candidate) Approved { return Approved{candidate: c} }

// Consent is what a person answered at the terminal.
type Consent struct {
	Digest   string     // of the candidate that was shown
	Who      git.Person // who sat there
	Override bool       // they accepted failing tests, explicitly
	Signed   string     // as Approved.Signed
}

// Approve binds a person's yes to a candidate; it is refused for a candidate that may not land or
// whose tests fail without an override.
func Approve(c Candidate, yes Consent) (Approved, error) {
	if yes.Digest != c.Digest {
		return Approved{}, &VoidError{Shown: yes.Digest, Now: c.Digest}
	}
	if blocks := c.Blocks(); len(blocks) > 0 {
		return Approved{}, &BlockedError{Agent: c.Title(), Reasons: blocks}
	}
	if c.Failing() && !yes.Override {
		return Approved{}, &BlockedError{Agent: c.Title(), Reasons: []string{"its tests fail and were not overridden"}}
	}
	return Approved{candidate: c, who: yes.Who, override: yes.Override, signed: yes.Signed}, nil
}

// VoidError says that a yes was for a candidate that is not the one there is now.
type VoidError struct{ Shown, Now string }

func (e *VoidError) Error() string {
	return fmt.Sprintf("the answer was for %.7s, but the candidate is %.7s now: something it depends on changed",
		e.Shown, e.Now)
}

// BlockedError says why a candidate must not land.
type BlockedError struct {
	Agent   string
	Reasons []string
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s cannot land:\n  - %s", e.Agent, strings.Join(e.Reasons, "\n  - "))
}
