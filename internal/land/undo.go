package land

import (
	"context"

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
	if checkout := l.checkout(); checkout != nil {
		l.dropIndexCopy(checkout)
		if err := checkout.UnlockIndex(l.mark()); err != nil {
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
	if !sameCheckout(holder, l.checkout()) {
		if err := l.leave(); err != nil {
			return err
		}
		l.at(holder)
	}
	if holder != nil {
		if err := holder.LockIndex(l.mark()); err != nil {
			return err
		}
		if err := l.takeCheckoutBack(ctx, holder); err != nil {
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

func (l *lander) takeCheckoutBack(ctx context.Context, checkout *git.Repo) error {
	forth, err := l.move(ctx, l.journal.Old, l.journal.New)
	if err != nil {
		return err
	}
	_, otherwise, err := forth.staged(ctx, checkout)
	if err != nil {
		return err
	}
	if len(otherwise) == 0 {
		return l.tidyFiles(ctx, checkout, forth)
	}
	back, err := l.move(ctx, l.journal.New, l.journal.Old)
	if err != nil {
		return err
	}
	if !l.journal.Undoing {
		if _, err := l.mend(ctx, checkout, forth); err != nil {
			return err
		}
		if err := l.try(ctx, checkout, back); err != nil {
			return err
		}
		l.journal.Undoing = true
		if err := l.journal.Write(l.p); err != nil {
			return err
		}
	} else if err := l.clear(ctx, checkout, back); err != nil {
		return err
	}
	return l.there(ctx, checkout, back)
}

// tidyFiles is for a checkout whose index is still the old one: if git had begun to write files, it
// finishes that and then takes all of it back.
// So git's own rules decide about every file, and a person's edit among files that git never reached stays as it is.
func (l *lander) tidyFiles(ctx context.Context, checkout *git.Repo, forth move) error {
	left, err := l.leftovers(ctx, checkout, forth)
	if err != nil || len(left.written)+len(left.missing) == 0 {
		return err
	}
	if err := l.clear(ctx, checkout, forth); err != nil {
		return err
	}
	return l.there(ctx, checkout, forth, move{from: forth.to, to: forth.from})
}

// there makes the moves on a copy of the index, one after the other, and puts the copy in place.
func (l *lander) there(ctx context.Context, checkout *git.Repo, moves ...move) error {
	if err := l.copyIndex(ctx, checkout); err != nil {
		return err
	}
	for _, m := range moves {
		if err := checkout.UpdateCheckout(ctx, l.indexCopy(checkout), m.from, m.to, git.ForReal); err != nil {
			return err
		}
	}
	l.p.Step("landing:back-files")
	return l.putIndex(checkout, moves[len(moves)-1])
}
