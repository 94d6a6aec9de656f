package registry

import (
	"fmt"
	"slices"
	"time"
)

const idLayout = "DEL-20060102-150405"

// Over reports whether the active session has the status COMPLETE or ABORTED and no agent is SPAWNING or RUNNING.
// Such a status is written by a person who ends a session by editing the file.
func (d *Document) Over() bool {
	s := d.state.Session
	return s != nil && (s.Status == SessionComplete || s.Status == SessionAborted) &&
		!slices.ContainsFunc(d.state.Agents, func(a Agent) bool { return a.Status == Spawning || a.Status == Running })
}

// StartSession adds an ACTIVE session with PENDING agents and the event SESSION_STARTED.
// If s.ID is empty, the session gets the id of the next free second; a given id must be free. s.Created defaults to the
// time of the transaction, and agents without an id are numbered in their order.
// The error is an *ActiveSessionError if there is an active session, and wraps a *NameError if an agent cannot have its
// name.
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

// EditSession changes fields of the session without an event. fn must not change ID and Status, which is an error.
// The error wraps ErrNoSession if there is no session.
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

// SessionStatus sets the status of the session to MERGING or back to ACTIVE, and adds the event e. With an empty e.Kind
// it adds none, for a change that belongs to the event of an agent in the same transaction.
// The error is a *SessionError if the change is not legal, and wraps ErrNoSession if there is no session. For the other
// states use EndSession.
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

// EndSession ends the session as COMPLETE or ABORTED and adds the event e; an empty e.Kind means SESSION_COMPLETE or
// SESSION_ABORTED. It must be the last change of a transaction, because there is no session afterwards. See
// Document.Change for how the ended session is archived.
// The error is a *SessionError while an agent is SPAWNING or RUNNING, or the session is MERGING, and wraps ErrNoSession
// if there is no session.
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
