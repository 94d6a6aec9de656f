package status

import (
	"fmt"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// PlaceView is where an agent's turn runs that runs on an engine, or why none begins there.
type PlaceView struct {
	Job  string `json:"job"`  // by the engine's name, "" before it has one
	Node string `json:"node"` // "" before it has one
	// QueuedSince is since when it waits for room; null: it does not.
	QueuedSince *time.Time `json:"queued_since"`
	// UnreachedSince is since when the engine has not answered; null: it does.
	UnreachedSince *time.Time `json:"unreached_since"`
	Why            string     `json:"why"` // it waits or is not reached, in the engine's words where it has any
}

// placeOf is the place of an agent's turn, nil for one that runs here or does not run. One that waits for others to
// leave its engine has a place with the reason alone.
func placeOf(p *project.Project, state registry.State, a registry.Agent) *PlaceView {
	if a.On == "" {
		return nil
	}
	if session.MayStart(state, a) && !session.HasRoom(p.Config, state, a) {
		return &PlaceView{Why: fmt.Sprintf("waits, %d at once work there (engines.%s.most)",
			p.Config.Engines[a.On].Most.Value(), a.On)}
	}
	if a.Status != registry.Running {
		return nil
	}
	w, far := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}.Where()
	if !far {
		return nil
	}
	return &PlaceView{Job: w.Job, Node: w.Node, QueuedSince: moment(w.Queued), UnreachedSince: moment(w.Unreached),
		Why: w.Why}
}

// noSign is what a stalled agent does.
const noSign = "shows no sign of life"

// unreached says whether the engine does not answer, so that nothing can be known of the turn there.
func (v *PlaceView) unreached() bool { return v != nil && v.UnreachedSince != nil }

// awayText is what is so of an agent whose engine has not answered for long.
func awayText(a registry.Agent) string {
	return a.On + " does not answer; its turn may go on there, and is followed again when it does"
}

// Words say where the turn is, for people.
func (v *PlaceView) Words(on string, now time.Time) string {
	if v == nil {
		return ""
	}
	words := "on " + on
	switch {
	case v.UnreachedSince != nil:
		words += " not reached for " + ui.Elapsed(max(0, now.Sub(*v.UnreachedSince)))
	case v.QueuedSince != nil:
		words += " queued for " + ui.Elapsed(max(0, now.Sub(*v.QueuedSince)))
	case v.Node != "":
		words += " at " + v.Node
	}
	if v.Why != "" {
		words += ": " + v.Why
	}
	return words
}
