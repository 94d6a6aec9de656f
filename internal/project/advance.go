package project

import (
	"context"

	"delegate/internal/takeover"
	"delegate/registry"
)

// Advance takes an agent that has no process from its head to a commit that has the head in its
// history, as worktree.Checkout.Advance does. Until Settle, TakeHead says of the agent's work what
// the move owes.
func (p *Project) Advance(ctx context.Context, session string, a registry.Agent, m takeover.Move) error {
	checkout, request, err := p.snapshotOf(ctx, session, a, takeover.ForGood)
	if err != nil {
		return err
	}
	return checkout.Advance(ctx, request, m, p.Step)
}

// Moved is the move of the agent's checkout that was begun and not settled.
func (p *Project) Moved(session string, a registry.Agent) (takeover.Move, bool, error) {
	return takeover.SnapshotRequest{Index: p.lookIndex(session, a)}.Moved()
}

// Settle ends a move.
func (p *Project) Settle(session string, a registry.Agent) error {
	return takeover.SnapshotRequest{Index: p.lookIndex(session, a)}.Settle()
}
