package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/registry"
)

// Abort cancels an agent, or rejects what it finished, and ends what runs of it. Its branch, its worktree and all in
// them are kept, and its head stays under a reference that the event names.
func (c Control) Abort(ctx context.Context, id, reason string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err == nil {
		a, err = c.abort(ctx, sessionID, a, reason)
	}
	if err != nil {
		return a, err
	}
	return session.Settle(ctx, c.P, sessionID, a)
}

// abort writes that an agent is given up. From then on nobody judges or starts a turn of it.
func (c Control) abort(ctx context.Context, sessionID string, a registry.Agent, reason string) (registry.Agent, error) {
	kind := abortKind(a.Status)
	if err := allowed(a, kind); err != nil {
		return a, err
	}
	kept, err := c.saveWork(ctx, sessionID, a, kind)
	if err != nil {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		now, err := tx.State().Agent(a.ID) // its turn may have ended meanwhile
		if err != nil {
			return err
		}
		e := registry.Event{Kind: abortKind(now.Status), Agent: a.ID,
			Details: cmp.Or(strings.TrimSpace(reason), "cancelled") + kept.text(), By: c.Who}
		return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
			session.AddRunTime(session.Elapsed(c.P, sessionID, now)-now.RunTime, c.P.Now().UTC())(a)
			session.AddUsage(a, session.RunningUsage(c.P, sessionID, now)) // nobody judges that turn
			a.Head = cmp.Or(kept.head, a.Head)
		})
	})
}

// abortKind is the event by which a person gives up an agent in this state.
func abortKind(s registry.Status) registry.Kind {
	if s == registry.Complete {
		return registry.EventRejected
	}
	return registry.EventAborted
}

// savedWork is the work of an agent that was given up.
type savedWork struct {
	head string // "" if it never had one
	ref  string // what holds it
}

// text says what holds the work. Its branch need not: it has what the agent committed.
func (k savedWork) text() string {
	if k.ref == "" {
		return ""
	}
	return "; kept, to have it again: git branch NAME " + k.ref
}

// saveWork takes the head of an agent that is about to be given up, as far as it can be taken, else
// the last one that is known, and holds it by a reference that nothing of this program takes away.
func (c Control) saveWork(ctx context.Context, sessionID string, a registry.Agent,
	kind registry.Kind) (savedWork, error) {
	if a.Turns == 0 {
		return savedWork{}, nil
	}
	head := a.Head
	if snap, err := c.P.TakeHead(ctx, sessionID, a, takeover.ForGood); err == nil {
		head = snap.Head
	}
	if head == "" {
		return savedWork{}, nil
	}
	k := savedWork{head, session.GivenUpRef(sessionID, a, kind)}
	if err := session.Pin(ctx, c.P, k.ref, head); err != nil {
		return savedWork{}, fmt.Errorf("keep the work of %s: %w", a.ID, err)
	}
	return k, nil
}

// Reject gives an agent up, and returns finished work that was built on its work, which is not going to land.
func (c Control) Reject(ctx context.Context, id, reason string) (registry.Agent, error) {
	rejected, err := c.Abort(ctx, id, reason)
	if err != nil {
		return rejected, err
	}
	state, err := c.P.Active(ctx)
	if err != nil {
		return rejected, err
	}
	c.P.Collect(state.Session.ID, rejected) // whoever rejects a result has seen it
	for _, ag := range state.Agents {
		if ag.Status != registry.Complete || !slices.Contains(ag.Dependencies, rejected.ID) {
			continue
		}
		message := fmt.Sprintf("%s, which your work builds on, was aborted. Take out what needs it, or do without.",
			rejected.ID)
		if _, err := c.SendBack(ctx, ag.ID, message); err != nil {
			return rejected, err
		}
	}
	return rejected, nil
}
