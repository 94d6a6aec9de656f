package land

import (
	"context"

	"delegate/internal/checkout"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
)

// backward undoes what was done of a landing that could not go on. Each step can be taken again after a crash.
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
	if shown := l.shown(); shown != nil {
		l.place(shown).Drop()
		if err := shown.UnlockIndex(l.mark()); err != nil {
			return err
		}
	}
	_, err = l.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return settle(tx, registry.Event{Kind: registry.EventInterrupted, Agent: j.Subject(),
			Details: "landing undone: " + project.OneLine(why), By: j.Who})
	})
	if err != nil {
		return err
	}
	return l.remove()
}

// takeBack puts the checkout that shows the target now, and then the target itself, back to where the landing began.
func (l *lander) takeBack(ctx context.Context) error {
	holder, err := l.holder(ctx)
	if err != nil {
		return err
	}
	if !sameCheckout(holder, l.shown()) {
		if err := l.leave(); err != nil {
			return err
		}
		l.at(holder)
	}
	if holder != nil {
		if err := holder.LockIndex(l.mark()); err != nil {
			return err
		}
		if err := l.undoCheckout(ctx, holder); err != nil {
			return err
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
	return refusal(m.Undo(ctx, start, func() error {
		l.journal.Undoing = true
		return l.journal.Write(l.p)
	}))
}
