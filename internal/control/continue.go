package control

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/control/session"
	"delegate/registry"
)

// Continue gives a reviewed agent its next turn, with a message or, unless it asks something, without.
func (c Control) Continue(ctx context.Context, id, message string) (registry.Agent, error) {
	if strings.TrimSpace(message) == "" {
		if a, err := c.needsNoWords(ctx, id); err != nil {
			return a, err
		}
		message = "Reviewed. Go on."
	}
	return c.nextTurn(ctx, id, message, registry.EventContinued)
}

// needsNoWords refuses to have an agent go on without words that asks something, unless a message waits for it.
func (c Control) needsNoWords(ctx context.Context, id string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil || a.Status != registry.Checkpoint || a.Question == "" {
		return a, err
	}
	queued, err := session.Queue(c.P, sessionID, a.ID)
	if err == nil && len(queued) == 0 {
		err = &UnansweredError{Agent: a}
	}
	return a, err
}

// UnansweredError refuses a turn without words to an agent that asks something.
type UnansweredError struct{ Agent registry.Agent }

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("continue %s: it asks something, and no answer was given: %s", e.Agent.ID,
		strings.Join(strings.Fields(e.Agent.Question), " "))
}
