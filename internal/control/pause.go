package control

import (
	"context"
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/registry"
)

// Pause lets running turns end and starts none until Unpause. It answers whether anything changed.
func (c Control) Pause(ctx context.Context) (bool, error) { return c.setPaused(ctx, true) }

// Unpause lets turns be started again. It answers whether anything changed.
func (c Control) Unpause(ctx context.Context) (bool, error) { return c.setPaused(ctx, false) }

func (c Control) setPaused(ctx context.Context, paused bool) (changed bool, err error) {
	_, err = c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		state := tx.State()
		if changed = state.Session != nil && (state.Session.Paused != "") != paused; !changed {
			return nil
		}
		if !paused && state.Session.BudgetUsedUp && session.BudgetPause(c.P, state) != "" {
			return fmt.Errorf("the session's budget is used up: %s", session.BudgetNext)
		}
		text, e := "", registry.Event{Kind: registry.EventResumed, Details: "session resumed", By: c.Who}
		if paused {
			text = c.Who + ", " + c.P.Now().UTC().Format(time.RFC3339)
			e = registry.Event{Kind: registry.EventInterrupted,
				Details: "session paused: running turns end, none is started", By: c.Who}
		}
		if err := tx.EditSession(func(s *registry.Session) { s.Paused, s.BudgetUsedUp = text, false }); err != nil {
			return err
		}
		return tx.Record(e, nil)
	})
	return changed, err
}
