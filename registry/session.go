package registry

import (
	"fmt"
	"slices"
	"time"
)

const idLayout = "DEL-20060102-150405"

// Over reports whether the document's active session is one that ended, as people write it by hand, and no agent
// of it is at work.
func (d *Document) Over() bool {
	s := d.state.Session
	return s != nil && (s.Status == SessionComplete || s.Status == SessionAborted) &&
		!slices.ContainsFunc(d.state.Agents, func(a Agent) bool { return a.Status == Spawning || a.Status == Running })
}

// StartSession makes a session ACTIVE with its agents PENDING, and adds the row SESSION_STARTED.
// The id is taken here, the next free second from now; an id that is given must be free.
// Created defaults to now; agents without an id are numbered in their order.
// The error is an *ActiveSessionError if there is a session already.
func (t *Tx) StartSession(s Session, agents []Agent) error {
	if active := t.state.Session; active != nil {
		return &ActiveSessionError{ID: active.ID, Status: active.Status}
	}
	if t.ended != nil {
		return fmt.Errorf("start session: %q ended in this change; start the next one in another", t.ended.Session.ID)
	}
	s = s.clone()
	switch {
	case s.ID == "":
		s.ID = t.freeID()
	case !ValidSessionID(s.ID):
		return fmt.Errorf("start session %q: write the id like %s", s.ID, idLayout)
	case t.known(s.ID):
		return fmt.Errorf("start session %q: the id is taken", s.ID)
	}
	if s.Created.IsZero() {
		s.Created = t.now
	}
	s.Status = SessionActive
	before := t.state
	t.state.Session = &s
	t.state.Agents = nil
	t.state.Stats.Sessions++
	for _, a := range agents {
		if _, err := t.add(a); err != nil {
			t.state = before
			return err
		}
	}
	return t.row(Event{Kind: EventSessionStarted, Details: s.ParentTask})
}

func (t *Tx) freeID() string {
	for at := t.now.UTC(); ; at = at.Add(time.Second) {
		if id := at.Format(idLayout); !t.known(id) {
			return id
		}
	}
}

func (t *Tx) known(id string) bool {
	for _, s := range t.state.Archived {
		if s.ID == id {
			return true
		}
	}
	return t.taken(id)
}

// EditSession sets fields of the session without a row. It may change neither id nor status.
func (t *Tx) EditSession(fn func(*Session)) error {
	if t.state.Session == nil {
		return fmt.Errorf("edit session: %w", ErrNoSession)
	}
	changed := t.state.Session.clone()
	fn(&changed)
	if was := t.state.Session; changed.ID != was.ID || changed.Status != was.Status {
		return fmt.Errorf("edit of session %q would change its id or status to %q, %s: use SessionStatus", was.ID,
			changed.ID, changed.Status)
	}
	changed = changed.clone()
	t.state.Session = &changed
	return nil
}

// SessionStatus takes the session to MERGING or back to ACTIVE, with its row;
// an event without a kind adds none, for a change that comes with an agent's row in the same transaction.
// The error is a *SessionError if that is not legal; EndSession is the way to the other states.
func (t *Tx) SessionStatus(to SessionStatus, e Event) error {
	s := t.state.Session
	if s == nil {
		return fmt.Errorf("session status %s: %w", to, ErrNoSession)
	}
	if to == SessionComplete || to == SessionAborted {
		return fmt.Errorf("session %q ends by EndSession, not by status %s", s.ID, to)
	}
	if err := nextSession(s.ID, s.Status, to); err != nil {
		return err
	}
	s.Status = to
	if e.Kind == "" {
		return nil
	}
	return t.row(e)
}

// EndSession ends the session as COMPLETE or ABORTED:
// its row is added, all of it is written to its archive file, and then the registry has no active session.
// It refuses with a *SessionError while agents are SPAWNING or RUNNING, or a landing is under way.
// It is the last call of a transaction: later ones find no session.
func (t *Tx) EndSession(to SessionStatus, e Event) error {
	s := t.state.Session
	if s == nil {
		return fmt.Errorf("end session: %w", ErrNoSession)
	}
	if to != SessionComplete && to != SessionAborted {
		return fmt.Errorf("session %q cannot end as %s", s.ID, to)
	}
	if err := nextSession(s.ID, s.Status, to); err != nil {
		return err
	}
	var busy []string
	for _, a := range t.state.Agents {
		if a.Status == Spawning || a.Status == Running {
			busy = append(busy, a.ID)
		}
	}
	if len(busy) > 0 {
		return &SessionError{ID: s.ID, From: s.Status, To: to, Busy: busy}
	}
	s.Status = to
	if e.Kind == "" {
		e.Kind = EventSessionComplete
		if to == SessionAborted {
			e.Kind = EventSessionAborted
		}
	}
	if err := t.row(e); err != nil {
		return err
	}
	ended := t.state.clone()
	t.ended = &ended
	t.state.Session, t.state.Agents, t.state.Events = nil, nil, nil
	return nil
}
