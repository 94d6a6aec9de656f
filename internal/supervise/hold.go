package supervise

import (
	"context"
	"os"
	"time"

	"delegate/internal/session"
	"delegate/registry"
)

// limitPause is how long a provider that names no end of its limit is left alone.
const limitPause = 5 * time.Minute

// release takes the hold and its flag away once the turn begins.
func (s *supervisor) release(ctx context.Context, a registry.Agent) error {
	if err := os.Remove(session.RateLimitFile(s.p, s.state.Session.ID, a)); err != nil {
		return nil // there was none
	}
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) { a.Flags = a.Flags.Without(registry.FlagRateLimited) })
	})
	return err
}
