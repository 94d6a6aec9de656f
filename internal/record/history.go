package record

import (
	"context"
	"delegate/registry"
	"errors"
	"fmt"
	"strings"
)

// UnknownSessionError names a session of which nothing is recorded.
type UnknownSessionError struct {
	ID    string
	Known []string // the active one and those that ended, as far as the registry's file names them
}

func (e *UnknownSessionError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("session %q is unknown; there are no sessions", e.ID)
	}
	return fmt.Sprintf("session %q is unknown; there are: %s", e.ID, strings.Join(e.Known, ", "))
}

func unknownSession(s registry.State, id string) error {
	refused := &UnknownSessionError{ID: id}
	for _, ended := range s.Ended() {
		refused.Known = append(refused.Known, ended.ID)
	}
	if s.Session != nil {
		refused.Known = append(refused.Known, s.Session.ID)
	}
	return refused
}

// History is everything that is recorded of one session, active or ended: its fields, its agents and all its rows,
// also those that left the registry for the archive. It takes no lock and never writes.
// Errors: *UnknownSessionError, *registry.SyntaxError, *VersionError.
func (s *Store) History(ctx context.Context, id string) (registry.State, error) {
	if err := ctx.Err(); err != nil {
		return registry.State{}, fmt.Errorf("read session %q: %w", id, err)
	}
	current, err := s.read(ctx, reading)
	if err != nil {
		return registry.State{}, err
	}
	now := s.state(current)
	if !registry.ValidSessionID(id) {
		return registry.State{}, unknownSession(now, id)
	}
	text, err := s.archive.read(s.archive.name(id))
	if err != nil {
		return registry.State{}, err
	}
	if now.Session != nil && now.Session.ID == id {
		now.Events, err = s.withMoved(current.doc, text)
		return now, err
	}
	if current.over != nil && current.over.State().Session.ID == id {
		return current.over.State(), nil
	}
	if text == "" {
		return registry.State{}, unknownSession(now, id)
	}
	return s.ended(id, text)
}

// withMoved puts the rows that were moved to the archive before those of the file.
func (s *Store) withMoved(d *registry.Document, text string) ([]registry.Event, error) {
	rows := archiveRows(text)
	events, err := registry.ParseRows(append(rows[:min(d.MovedRows(), len(rows))], d.Rows()...))
	return events, registry.Located(err, s.o.Path)
}

// ended reads the file that the session left. Lines of people that were kept in it may stand
// anywhere and count for nothing.
func (s *Store) ended(id, text string) (registry.State, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rows := archiveRows(text)
	body := text
	if at := strings.LastIndex("\n"+text, "\n"+eventsHead); at >= 0 {
		body = text[:at]
	}
	body, _, _ = strings.Cut(body, "\n### Notes\n")
	_, body, _ = strings.Cut(body, "\n") // its title
	doc, err := registry.Parse([]byte("## Active Session\n" + body + "\n" + registry.EventsTable(rows)))
	var faults *registry.SyntaxError
	if errors.As(err, &faults) {
		return registry.State{}, fmt.Errorf("archive of session %q: %w", id, err)
	}
	if err != nil {
		return registry.State{}, err
	}
	state := doc.State()
	state.Locate(s.o.Worktree)
	if state.Session == nil || state.Session.ID != id {
		return registry.State{}, fmt.Errorf("archive of session %q: it holds no session of that id", id)
	}
	return state, nil
}
