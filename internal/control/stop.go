package control

import (
	"context"
	"errors"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// StopAll ends every process of the session's agents, with the supervisor's help or without, and
// returns when none is left.
func StopAll(ctx context.Context, p *project.Project) error {
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	for _, a := range state.Agents {
		err = errors.Join(err, session.StopTurns(p, state.Session.ID, a))
	}
	return err
}

// EndSession cancels every agent of the session that the person means, has their processes ended, and archives it.
func (c Control) EndSession(ctx context.Context, reason string) error {
	if err := c.AbortSession(ctx, reason); err != nil {
		return err
	}
	if err := StopAll(ctx, c.P); err != nil {
		return err
	}
	_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		if s := tx.State().Session; s != nil && s.ID != c.Session {
			return &OtherSessionError{Meant: c.Session, Active: s.ID}
		}
		return tx.EndSession(registry.SessionAborted,
			registry.Event{Kind: registry.EventSessionAborted, Details: reason, By: c.Who})
	})
	if err != nil {
		return err
	}
	return errors.Join(session.WriteLastState(ctx, c.P, c.Session), c.P.DropScratch(ctx))
}
