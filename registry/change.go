package registry

import (
	"errors"
	"fmt"
	"time"
)

// Change runs fn on a copy of the document's values and returns a new document with the values as fn left them. Lines
// whose values did not change are the same byte for byte, and d itself does not change.
//
// now is the time of new events. taken reports whether a session id is in use outside of the document, and named
// whether an agent name is, such as by a branch.
//
// ended reports whether fn ended the session. The new document then still contains the session, so that the caller can
// write its archive file; Close removes it.
//
// The error is the one of fn, or says that the new document would not parse to the values that fn left.
func (d *Document) Change(now time.Time, taken, named func(string) bool, fn func(*Tx) error) (changed *Document,
	ended bool, err error) {
	tx := &Tx{state: d.State(), now: now.UTC().Truncate(time.Second), taken: taken, named: named}
	if err := fn(tx); err != nil {
		return nil, false, err
	}
	next := tx.state
	if tx.ended != nil {
		next = *tx.ended
	}
	changed = d.clone()
	changed.apply(next, tx.added)
	changed, err = readBack(changed.Bytes(), next)
	return changed, tx.ended != nil, err
}

// clone copies what apply changes.
func (d *Document) clone() *Document {
	c := &Document{end: d.end, state: d.State()}
	for _, s := range d.sections {
		own := *s
		if s.head != nil {
			head := *s.head
			own.head = &head
		}
		lines := make([]node, len(s.body))
		own.body = make([]*node, len(s.body))
		for i, n := range s.body {
			lines[i], own.body[i] = *n, &lines[i]
		}
		c.sections = append(c.sections, &own)
	}
	return c
}

// readBack parses what is about to be written, and refuses it if it does not say what it should.
func readBack(data []byte, want State) (*Document, error) {
	got, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("refuse to write a registry that would not parse: %w", err)
	}
	switch {
	case (got.state.Session == nil) != (want.Session == nil):
		return nil, errors.New("refuse to write a registry whose session would not read back")
	case want.Session != nil && !samePrinted(sessionFields(), got.state.Session, want.Session),
		want.Session != nil && !samePrinted(configFields(), got.state.Session, want.Session):
		return nil, fmt.Errorf("refuse to write a registry whose session %q would not read back", want.Session.ID)
	case len(got.state.Agents) != len(want.Agents) || len(got.state.Events) != len(want.Events):
		return nil, errors.New("refuse to write a registry whose agents or events would not read back")
	}
	for i := range want.Agents {
		agent, err := got.state.Agent(want.Agents[i].ID)
		if err != nil || !samePrinted(agentFields(), &agent, &want.Agents[i]) {
			return nil, fmt.Errorf("refuse to write a registry whose agent %q would not read back", want.Agents[i].ID)
		}
	}
	for i, e := range want.Events {
		if got.state.Events[i] != e {
			return nil, fmt.Errorf("refuse to write a registry whose event %s of agent %q would not read back", e.Kind,
				e.Agent)
		}
	}
	return got, nil
}

func samePrinted[T any](fields []field[T], a, b *T) bool {
	for _, f := range fields {
		x, _ := f.print(a)
		y, _ := f.print(b)
		if x != y {
			return false
		}
	}
	return true
}
