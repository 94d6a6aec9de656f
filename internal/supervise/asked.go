package supervise

import (
	"context"

	"delegate/internal/control/session"
	"delegate/internal/view/status"
	"delegate/registry"
)

// tellAsked tells a person of what the program of an agent at work asks, once for each question. It makes no row: the
// answer does.
func (s *supervisor) tellAsked(ctx context.Context, a registry.Agent, w *watch) {
	open := status.Asks(s.p, s.state, a)
	if w.asks = len(open) > 0; !w.asks || open[len(open)-1].ID == w.asked {
		return
	}
	last := open[len(open)-1]
	w.asked = last.ID
	s.tellPerson(ctx, a.ID, []registry.Event{{Kind: registry.EventEscalated, Agent: a.ID,
		By: session.BySupervisor, Time: s.p.Now(), Details: status.AskText(s.p, last)}})
}
