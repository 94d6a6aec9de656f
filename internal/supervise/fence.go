package supervise

import (
	"context"

	"delegate/internal/turnsetup"
	"delegate/registry"
)

// confine makes what a turn's processes run in: the hook's policy, git's settings and hooks, and
// the fence, whose parts are noted in f.
func (s *supervisor) confine(ctx context.Context, a registry.Agent, f *turnsetup.Setup) error {
	if err := turnsetup.WriteHooks(ctx, s.p, a, &f.Place); err != nil {
		return err
	}
	if s.state.Session.Sandbox != "" {
		return s.noteSurroundings(ctx, a, *f)
	}
	fence, err := turnsetup.FenceTurn(ctx,
		turnsetup.FenceRequest{Project: s.p, Session: s.state.Session.ID, Agent: a, Support: s.kernel}, &f.Place)
	if err != nil {
		return err
	}
	f.Fence = fence
	return s.noteSurroundings(ctx, a, *f)
}
