// Package land brings an approved candidate to the target: its commits are made, the intent is journalled, the branch
// moves by compare-and-swap, the checkout that shows it follows around the person's own edits, and the registry gets
// its row. What was cut short is continued or undone.
package land

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/checkout"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// HalfDoneError says that a landing could not go on, nor be taken back, as where the disk is full.
// It is an ErrUnfinished.
// Without Undo it is recorded, and only its end is missing.
type HalfDoneError struct{ Landing, Undo error }

func (e *HalfDoneError) Error() string {
	if e.Undo == nil {
		return fmt.Sprintf("%v: it is recorded, but could not be ended (%v)", journal.ErrUnfinished, e.Landing)
	}
	return fmt.Sprintf("%v: it could not continue (%v), and could not be undone (%v)", journal.ErrUnfinished,
		e.Landing,
		e.Undo)
}

func (e *HalfDoneError) Unwrap() error { return journal.ErrUnfinished }

// ErrRefused is wrapped by a landing that the person's own files, or another operation of theirs,
// stand in the way of. Nothing was changed.
var ErrRefused = errors.New("landing refused, nothing was changed")

// lander carries one landing through its steps.
type lander struct {
	p       *project.Project
	journal journal.Landing
	start   checkout.Start
	touched bool     // git was asked to change files of the checkout
	left    []string // files of a landing taken up again that a person changed since
	// unwritten is of the files that the way back could not write, nil for none.
	unwritten *checkout.UnwrittenError
	// untraced is why the Agent Trace record is not there, "" where it is or is not wanted.
	untraced string
}

// Land moves the target to the approved tree: intent journalled, reference moved by
// compare-and-swap, checkout updated around the person's own edits, event recorded. The candidate
// is built again first; *VoidError if it is not the approved one any more.
func Land(ctx context.Context, b *candidate.Builder, ok candidate.Approved) (Landed, error) {
	p := b.Project
	lock, err := Lock(ctx, p)
	if err != nil {
		return Landed{}, err
	}
	defer lock.Unlock()
	if journal.Unfinished(p) {
		return Landed{}, journal.ErrUnfinished
	}
	state, err := p.Active(ctx)
	if err != nil {
		return Landed{}, err
	}
	again, err := b.Rebuild(ctx, state, ok.Candidate())
	if err != nil {
		return Landed{}, err
	}
	if again.Digest != ok.Candidate().Digest {
		return Landed{}, &candidate.VoidError{Shown: ok.Candidate().Digest, Now: again.Digest}
	}
	if err := candidate.CheckSigned(ctx, p, ok); err != nil {
		return Landed{}, err
	}
	if again.OnlyRecord {
		return Landed{Commit: again.Tip}, recordRollback(ctx, p, ok)
	}
	made, err := Commits(ctx, p, ok)
	if err != nil {
		return Landed{}, err
	}
	if err := p.Repo.Sync(); err != nil { // also objects that another git had written before, and did not wait for
		return Landed{}, err
	}
	l := &lander{p: p, journal: newJournal(ok, made)}
	if err := l.placeJournal(ctx); err != nil {
		return Landed{}, err
	}
	if err := l.forward(ctx); err != nil {
		return Landed{}, l.stop(context.WithoutCancel(ctx), err)
	}
	said := []string{l.untraced, runAfter(ctx, p, ok.Candidate(), l.journal.Worktree)}
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
	return Landed{Commit: l.journal.New, Said: strings.Join(said, "; ")}, nil
}

// stop takes back a landing that could not go on, and answers why that was. One that the registry
// has is never taken back.
func (l *lander) stop(ctx context.Context, why error) error {
	done, err := l.recorded(ctx)
	switch {
	case err != nil && !errors.Is(err, project.ErrNoSession):
		return &HalfDoneError{Landing: why, Undo: err}
	case done:
		return &HalfDoneError{Landing: why}
	}
	undo := l.backward(ctx, why.Error())
	if _, done := errors.AsType[*checkout.UnwrittenError](undo); done {
		return errors.Join(why, undo)
	}
	if undo != nil {
		return &HalfDoneError{Landing: why, Undo: undo}
	}
	if l.touched && !errors.Is(why, ErrRefused) {
		return errors.Join(ErrRefused, why)
	}
	return why
}

// Landed is what a landing did.
type Landed struct {
	Commit string // where the target is now
	Said   string // what did not go well beside it, such as a hook that ran afterwards, "" for nothing
}

// placeJournal finds the checkout that shows the target, and writes the intent.
func (l *lander) placeJournal(ctx context.Context) error {
	holder, err := l.holder(ctx)
	if err != nil {
		return err
	}
	l.setCheckout(holder)
	if err := l.keep(ctx, l.journal.New); err != nil {
		return err
	}
	return l.journal.Write(l.p)
}

// setCheckout says which checkout the landing updates, nil for none.
func (l *lander) setCheckout(holder *git.Repo) {
	l.journal.Worktree, l.journal.GitDir = "", ""
	if holder != nil {
		l.journal.Worktree, l.journal.GitDir = holder.Worktree, holder.GitDir
	}
}

// forward takes every step that is left. Each can be taken again after a crash.
func (l *lander) forward(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"lock", l.lockIndex}, // and a last look: who refuses there leaves no row
		{"approve", l.recordApproval},
		{"move", l.moveRef},
		{"checkout", l.updateCheckout},
		{"trace", l.trace},
		{"record", l.recordLanding},
		{"finish", func(context.Context) error { return l.remove() }},
	}
	l.p.Step("landing:journal")
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return err
		}
		l.p.Step("landing:" + s.name)
	}
	return nil
}

// mark is what our lock on the index says, so that after a crash it is known as ours.
func (l *lander) mark() string { return "delegate landing " + l.journal.New + "\n" }

// place is where the landing moves a checkout.
func (l *lander) place(shown *git.Repo) checkout.Place {
	return checkout.Place{
		Repo: shown, Index: shown.IndexPath(), Copy: filepath.Join(shown.GitDir, "index.delegate-landing"),
		Step: func(name string) { l.p.Step("landing:" + name) },
	}
}

// refusal makes an ErrRefused of what stands in the way of a move.
func refusal(err error) error {
	var refused *checkout.RefusedError
	if errors.As(err, &refused) {
		return errors.Join(ErrRefused, refused.Err)
	}
	return err
}

// rehearse tries the update of the checkout on a copy of its index. A nil checkout needs none.
func (l *lander) rehearse(ctx context.Context, shown *git.Repo) error {
	if shown == nil {
		return nil
	}
	m, err := l.plan(ctx, shown)
	if err != nil {
		return err
	}
	return refusal(m.Check(ctx))
}

// plan is the move of the checkout to what lands.
func (l *lander) plan(ctx context.Context, shown *git.Repo) (*checkout.Move, error) {
	return l.place(shown).Plan(ctx, l.journal.Old, l.journal.New)
}

// updateCheckout brings the checkout from the old tree to the new one. The branch is on the disk before any file.
func (l *lander) updateCheckout(ctx context.Context) error {
	if err := l.p.Repo.Sync(); err != nil {
		return err
	}
	shown := l.shown()
	if shown == nil {
		return nil
	}
	m, err := l.plan(ctx, shown)
	if err != nil {
		return err
	}
	l.left, err = m.Run(ctx, l.start)
	l.touched = m.Touched
	if err != nil {
		return refusal(err)
	}
	return shown.UnlockIndex(l.mark())
}

// shown is the checkout that the landing updates, nil for none.
func (l *lander) shown() *git.Repo {
	if l.journal.Worktree == "" {
		return nil
	}
	return l.p.Repo.At(l.journal.GitDir, l.journal.Worktree)
}

func (l *lander) recordApproval(ctx context.Context) error {
	j := l.journal
	_, err := l.p.Store.Update(ctx, func(tx *registry.Tx) error {
		session := tx.State().Session
		if session == nil || session.ID != j.Session {
			return project.ErrNoSession
		}
		if done, err := l.recordedIn(tx.State()); done || err != nil || session.Status == registry.SessionMerging {
			return err // taken before a crash
		}
		if j.Override {
			if err := tx.Record(registry.Event{Kind: registry.EventOverridden, Agent: j.Subject(),
				Details: "failing tests accepted, digest " + j.Digest[:7], By: j.Who}, nil); err != nil {
				return err
			}
		}
		e := registry.Event{Kind: registry.EventApproved, Agent: j.Subject(),
			Details: fmt.Sprintf("%s%s on %s, digest %.7s", j.Kind, j.Others(),
				strings.TrimPrefix(j.Target, "refs/heads/"), j.Digest), By: j.Who}
		return tx.SessionStatus(registry.SessionMerging, e)
	})
	return err
}

// lockIndex keeps other git commands away from the checkout, and then looks once more:
// until the lock was there the person could stage, switch branches or begin a merge.
func (l *lander) lockIndex(ctx context.Context) error {
	shown := l.shown()
	if shown != nil {
		if err := shown.LockIndex(l.mark()); err != nil {
			return errors.Join(ErrRefused, err)
		}
	}
	now, _, err := l.p.Repo.Ref(ctx, l.journal.Target)
	if err != nil || now != l.journal.Old {
		return err
	}
	holder, err := l.holder(ctx)
	if err != nil {
		return err
	}
	if !sameCheckout(holder, shown) {
		return fmt.Errorf("%w: another checkout is on %s by now", ErrRefused, l.journal.Target)
	}
	return l.rehearse(ctx, shown)
}

func sameCheckout(a, b *git.Repo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.GitDir == b.GitDir
}

func (l *lander) moveRef(ctx context.Context) error {
	j := l.journal
	now, found, err := l.p.Repo.Ref(ctx, j.Target)
	if err != nil {
		return err
	}
	if found && now == j.New {
		return nil
	}
	if found && now != j.Old { // moved before a crash, and a person committed on top of it since
		if inside, err := l.p.Repo.IsAncestor(ctx, j.New, now); err != nil || inside {
			return err
		}
	}
	if err := l.isWhole(ctx); err != nil {
		return err
	}
	updates := []git.RefUpdate{{Ref: j.Target, Old: j.Old, New: j.New}}
	kept, _, err := l.p.Repo.Ref(ctx, project.LandingRef(j.Session))
	if err != nil {
		return err
	}
	if kept != "" { // the target has its commits from now on
		updates = append(updates, git.RefUpdate{Ref: project.LandingRef(j.Session), Old: kept})
	}
	return l.p.Repo.UpdateRefs(ctx, fmt.Sprintf("delegate: %s of %s", j.Kind, j.Title()), updates...)
}

// recordLanding writes what happened, once.
func (l *lander) recordLanding(ctx context.Context) error {
	_, err := l.p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, one := range l.journal.Agents {
			if err := l.recordOne(tx, one); err != nil {
				return err
			}
		}
		// .delegate.yaml was edited; a journal of an earlier version does not say
		if s := tx.State().Session; s != nil && l.journal.Verify != nil && !slices.Equal(s.Verify, l.journal.Verify) {
			if err := tx.EditSession(func(s *registry.Session) { s.Verify = l.journal.Verify }); err != nil {
				return err
			}
		}
		return endMerging(tx, registry.Event{})
	})
	return err
}

func (l *lander) recordOne(tx *registry.Tx, one journal.Landed) error {
	j := l.journal
	a, err := tx.State().Agent(one.Agent)
	if err != nil || one.Recorded(j, a) {
		return err
	}
	kind := registry.EventMerged
	switch {
	case j.IsRollback():
		kind = registry.EventRolledBack
	case a.Status == registry.Failed:
		kind = registry.EventSalvaged
	}
	e := registry.Event{Kind: kind, Agent: one.Agent,
		Details: fmt.Sprintf("%.12s on %s, %s", one.Commit, strings.TrimPrefix(j.Target, "refs/heads/"),
			project.Tested(one.Tests, j.Verify)), By: j.Who}
	return tx.Transition(one.Agent, e, registry.Person, func(a *registry.Agent) { note(j, one, a) })
}

// note puts what landed into the agent's record.
func note(j journal.Landing, one journal.Landed, a *registry.Agent) {
	a.Signed = j.Signed
	if j.IsRollback() { // what passed is the target without the work
		a.RolledBack, a.Tests = one.Commit, "not_run"
		return
	}
	a.Tests = one.Tests
	a.MergeCommit, a.MergedOnto, a.Head, a.RolledBack = one.Commit, one.Onto, one.Head, ""
	a.FilesModified, a.RenamedFrom = one.Files, one.RenamedFrom
	a.Insertions, a.Deletions = one.Lines[0], one.Lines[1]
}

// endMerging puts a session that is MERGING back to ACTIVE; the row of the event, or of the transition
// in the same write, tells why.
func endMerging(tx *registry.Tx, e registry.Event) error {
	session := tx.State().Session
	if session == nil || session.Status != registry.SessionMerging {
		return nil
	}
	return tx.SessionStatus(registry.SessionActive, e)
}

// remove ends the landing: nothing is half done any more.
func (l *lander) remove() error {
	if shown := l.shown(); shown != nil {
		l.place(shown).Drop()
	}
	_ = l.keep(context.Background(), "") // where it stays, the next landing moves it
	return journal.RemoveLanding(l.p)
}

// Lock waits until nobody lands: work is verified under this lock, which takes its time.
func Lock(ctx context.Context, p *project.Project) (*atomicfile.Guard, error) {
	return atomicfile.Await(ctx, filepath.Join(p.Private, "landing.lock"), p.Waiting)
}

// recordRollback carries out a rollback of what is not in the target any more.
func recordRollback(ctx context.Context, p *project.Project, ok candidate.Approved) error {
	c := ok.Candidate()
	one := c.Members[0].Agent
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventRolledBack, Agent: one.ID, Details: "only the record: " + c.Notes[0],
			By: ok.Who().Name}
		return tx.Transition(one.ID, e, registry.Person, func(a *registry.Agent) {
			a.MergeCommit, a.MergedOnto, a.RolledBack, a.Signed = "", "", c.Tip, ok.Signed()
		})
	})
	return err
}
