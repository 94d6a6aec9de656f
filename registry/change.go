package registry

import (
	"errors"
	"fmt"
	"time"
)

// Change runs fn on a copy of the document's values and returns a document that holds what fn made
// of them, in which every line that fn did not change is as it was. The document itself stays as it
// is. The time of rows is now; taken says which session ids are used already, and named which names
// no agent can have, beside those that the document names. Ended reports that fn ended the
// session: the changed document holds it as it ended, for its archive, and Close then removes it.
// Errors: fn's; one that refuses a document which would not say what fn asked for.
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
