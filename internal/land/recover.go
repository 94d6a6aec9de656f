package land

import (
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/checkout"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// Recovered says what became of a landing that was cut short.
type Recovered struct {
	Kind           candidate.Kind
	Agents         []string
	Target, Commit string
	Landed         bool
	Left           []string // files that a person changed since they were landed, and that were left so
	Said           string   // what did not go well beside it, "" for nothing
}

// Continue finishes a landing that was cut short. Where the target has not moved yet, the candidate is built once more
// and must still have the digest that was approved; *VoidError if it has not (then Undo is the way out).
func Continue(ctx context.Context, b *candidate.Builder) (Recovered, error) {
	l, unlock, err := takeUp(ctx, b.Project)
	if err != nil {
		return Recovered{}, err
	}
	defer unlock()
	j := l.journal
	if j.Undoing {
		return Recovered{}, fmt.Errorf("undoing the landing of %s has begun; finish it with delegate sync "+
			"merge --abort", j.Title())
	}
	now, err := l.target(ctx)
	if err != nil {
		return Recovered{}, err
	}
	switch now {
	case j.Old:
		if err := recheck(ctx, b, l); err != nil {
			return Recovered{}, fmt.Errorf(
				"%w; take the landing back with delegate sync merge --abort, then land again",
				err)
		}
		if err = l.releaseCheckout(); err == nil { // the person may have switched or edited since
			err = l.placeJournal(ctx)
		}
	case j.New:
		err = l.checkCheckout(ctx)
	default:
		err = l.movedOn(ctx, now)
	}
	if err != nil {
		return Recovered{}, err
	}
	if err := l.forward(ctx); err != nil {
		return Recovered{}, fmt.Errorf("finish landing of %s: %w", j.Title(), err)
	}
	return Recovered{Kind: candidate.Kind(j.Kind), Agents: j.IDs(), Target: j.Target, Commit: j.New, Landed: true,
		Left: l.left, Said: l.untraced}, nil
}

// TargetLostError says that the branch of a landing that was cut short is gone, or that its file cannot be read.
type TargetLostError struct{ Target, Old, New string }

func (e *TargetLostError) Error() string {
	return fmt.Sprintf("%s is gone or cannot be read; the landing was to take it from %s to %s", e.Target, e.Old, e.New)
}

// target is where the branch is now.
func (l *lander) target(ctx context.Context) (string, error) {
	now, found, err := l.p.Repo.Ref(ctx, l.journal.Target)
	if err == nil && !found || errors.Is(err, git.ErrBroken) {
		err = &TargetLostError{Target: l.journal.Target, Old: l.journal.Old, New: l.journal.New}
	}
	return now, err
}

// takeUp locks landings and reads the journal of the one that was cut short, once no git command of it is left:
// one that outlived its parent could go on writing files of the checkout. The caller unlocks.
func takeUp(ctx context.Context, p *project.Project) (*lander, func(), error) {
	lock, err := Lock(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	unlock := func() { _ = lock.Unlock() } // the process's end would free it too
	j, err := journal.ReadLanding(p)
	l := &lander{p: p, journal: j, start: checkout.CutShort}
	if err == nil {
		err = p.Repo.DropRefLocks(git.RefUpdate{Ref: j.Target, New: j.New}, git.RefUpdate{Ref: j.Target, New: j.Old})
	}
	if err == nil {
		if shown := l.shown(); shown != nil {
			mark := "GIT_INDEX_FILE=" + l.place(shown).Copy
			err = run.EndAll(func() []run.Process { return run.Marked(mark) }, orphanGrace)
		}
	}
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return l, unlock, nil
}

// orphanGrace is what a git command of a killed landing gets to end after being asked to.
const orphanGrace = 2 * time.Second

// recheck makes sure that what was approved is still what would land, and that the journal's commit
// is that tree and nothing else.
func recheck(ctx context.Context, b *candidate.Builder, l *lander) error {
	j := l.journal
	state, err := b.Project.Active(ctx)
	if err != nil {
		return err
	}
	was := candidate.Candidate{Kind: candidate.Kind(j.Kind)}
	for _, one := range j.Agents {
		a, err := state.Agent(one.Agent)
		if err != nil {
			return err
		}
		was.Members = append(was.Members, candidate.Member{Agent: a})
	}
	b.Message = j.Message
	again, err := b.Rebuild(ctx, state, was)
	if err != nil {
		return err
	}
	if again.Digest != j.Digest {
		return &candidate.VoidError{Shown: j.Digest, Now: again.Digest}
	}
	if blocks := again.Blocks(); len(blocks) > 0 {
		return &candidate.BlockedError{Agent: j.Title(), Reasons: blocks}
	}
	tree, err := b.Project.Repo.TreeOf(ctx, j.New)
	if err != nil {
		return err
	}
	if tree != again.Tree || j.Old != again.Tip {
		return fmt.Errorf("the landing journal names commit %.12s, which is not the approved tree", j.New)
	}
	return nil
}

// movedOn is for a target that somebody committed on after our move: then the rest is only to be
// recorded. Anything else is refused.
func (l *lander) movedOn(ctx context.Context, now string) error {
	inside, err := l.p.Repo.IsAncestor(ctx, l.journal.New, now)
	if err != nil {
		return err
	}
	if !inside {
		return fmt.Errorf("%s is at %.12s, neither where the landing began nor where it ends; undo it with delegate "+
			"sync merge --abort", l.journal.Target, now)
	}
	return l.releaseCheckout() // the person has worked in the checkout since; it is theirs
}

// releaseCheckout gives the checkout back that the landing had locked.
func (l *lander) releaseCheckout() error {
	err := l.unlock()
	if err == nil {
		l.setCheckout(nil)
	}
	return err
}

// unlock takes away what the landing has next to the index of the checkout.
func (l *lander) unlock() error {
	shown := l.shown()
	if shown == nil {
		return nil
	}
	l.place(shown).Drop()
	return shown.UnlockIndex(l.mark())
}

// checkCheckout is for a landing that was cut short after the target moved: a checkout that is on another
// branch by now is left alone.
func (l *lander) checkCheckout(ctx context.Context) error {
	holder, err := l.holder(ctx)
	if err != nil || sameCheckout(holder, l.shown()) {
		return err
	}
	return l.releaseCheckout()
}

// Undo takes back a landing that was cut short: reference and checkout are as before it, the person's edits stay.
// A landing that is recorded already is finished instead; its way back is a rollback.
func Undo(ctx context.Context, b *candidate.Builder) (Recovered, error) {
	l, unlock, err := takeUp(ctx, b.Project)
	if err != nil {
		return Recovered{}, err
	}
	defer unlock()
	j := l.journal
	result := Recovered{Kind: candidate.Kind(j.Kind), Agents: j.IDs(), Target: j.Target, Commit: j.New}
	done, err := l.recorded(ctx)
	if err != nil {
		return result, err
	}
	if done {
		result.Landed = true
		// it was done before the record; by now the person may be on another branch in it
		if err := l.releaseCheckout(); err != nil {
			return result, err
		}
		return result, l.forward(ctx)
	}
	now, err := l.target(ctx)
	if err != nil {
		return result, err
	}
	if now != j.New && now != j.Old {
		if inside, err := b.Project.Repo.IsAncestor(ctx, j.New, now); err != nil || inside {
			return result, errors.Join(err, fmt.Errorf("%s has commits on top of the landing; finish it with "+
				"delegate sync merge --continue, then roll back", j.Target))
		}
	}
	return result, l.backward(ctx, "by a person, after it was interrupted")
}

// recorded reports whether the registry has the landing already.
func (l *lander) recorded(ctx context.Context) (bool, error) {
	state, err := l.p.Active(ctx)
	if err != nil {
		return false, err
	}
	return l.recordedIn(state)
}

func (l *lander) recordedIn(state registry.State) (bool, error) {
	last := l.journal.Agents[len(l.journal.Agents)-1] // all of them are recorded in one write
	a, err := state.Agent(last.Agent)
	return err == nil && last.Recorded(l.journal, a), err
}

// backward undoes what was done of a landing that could not go on. Each step can be taken again after a crash.
// It is done also where it answers with a *checkout.UnwrittenError.
func (l *lander) backward(ctx context.Context, why string) error {
	j := l.journal
	now, _, err := l.p.Repo.Ref(ctx, j.Target)
	if err != nil {
		return err
	}
	if now == j.New {
		if err := l.takeBack(ctx); err != nil {
			return err
		}
	}
	l.p.Step("landing:undo")
	if err := l.unlock(); err != nil {
		return err
	}
	_, err = l.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return endMerging(tx, registry.Event{Kind: registry.EventInterrupted, Agent: j.Subject(),
			Details: "landing undone: " + project.OneLine(why), By: j.Who})
	})
	if err != nil {
		return err
	}
	if err := l.remove(); err != nil || l.unwritten == nil {
		return err
	}
	return l.unwritten
}

// takeBack puts the checkout that shows the target now, and then the target itself, back to where the landing began.
func (l *lander) takeBack(ctx context.Context) error {
	holder, err := l.holder(ctx)
	if err != nil {
		return err
	}
	changed := l.touched || l.start != checkout.Fresh // this checkout may have files of the landing
	if !sameCheckout(holder, l.shown()) {
		if err := l.releaseCheckout(); err != nil {
			return err
		}
		l.setCheckout(holder)
		changed = true
	}
	if holder != nil {
		if err := holder.LockIndex(l.mark()); err != nil {
			return err
		}
		if changed {
			if err := l.undoCheckout(ctx, holder); err != nil {
				return err
			}
		}
		l.p.Step("landing:back")
	}
	back := git.RefUpdate{Ref: l.journal.Target, Old: l.journal.New, New: l.journal.Old}
	if err := l.p.Repo.UpdateRefs(ctx, "delegate: landing undone", back); err != nil {
		return err
	}
	return l.p.Repo.Sync()
}

func (l *lander) undoCheckout(ctx context.Context, shown *git.Repo) error {
	m, err := l.place(shown).Plan(ctx, l.journal.Old, l.journal.New)
	if err != nil {
		return err
	}
	start := checkout.Fresh
	if l.journal.Undoing {
		start = checkout.CutShort
	}
	err = m.Undo(ctx, start, func() error {
		l.journal.Undoing = true
		return l.journal.Write(l.p)
	})
	if errors.As(err, &l.unwritten) {
		return nil
	}
	return refusal(err)
}
