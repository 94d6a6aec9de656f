package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

func (s State) unknownSession(id string) error {
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
// Errors: *UnknownSessionError, *SyntaxError, *VersionError.
func (s *Store) History(ctx context.Context, id string) (State, error) {
	if err := ctx.Err(); err != nil {
		return State{}, fmt.Errorf("read session %q: %w", id, err)
	}
	current, err := s.read()
	if err != nil {
		return State{}, err
	}
	now := current.state()
	if !validSessionID(id) {
		return State{}, now.unknownSession(id)
	}
	text, err := s.archive.read(s.archive.name(id))
	if err != nil {
		return State{}, err
	}
	if now.Session != nil && now.Session.ID == id {
		now.Events, err = s.withMoved(current.doc, text)
		return now, err
	}
	if text == "" {
		return State{}, now.unknownSession(id)
	}
	return ended(id, text)
}

// withMoved puts the rows that were moved to the archive before those of the file.
func (s *Store) withMoved(d *Document, text string) ([]Event, error) {
	events := d.section(eventsRole)
	if events == nil {
		return nil, nil
	}
	moved := 0
	for _, n := range events.nodes(movedLine) {
		moved = n.count
	}
	rows := archiveRows(text)
	rows = rows[:min(moved, len(rows))]
	for _, n := range events.nodes(rowLine) {
		rows = append(rows, n.text)
	}
	older, err := Parse([]byte("## Active Session\n**Status**: None\n\n" + eventsTable(rows)))
	if err != nil {
		return nil, s.located(err)
	}
	return older.State().Events, nil
}

func eventsTable(rows []string) string {
	return eventsHead + "\n" + tableHeadText + "\n" + tableRuleText + "\n" + strings.Join(rows, "\n") + "\n"
}

// ended reads the file that the session left. Lines of people that were kept in it may stand
// anywhere and count for nothing.
func ended(id, text string) (State, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rows := archiveRows(text)
	body := text
	if at := strings.LastIndex("\n"+text, "\n"+eventsHead); at >= 0 {
		body = text[:at]
	}
	body, _, _ = strings.Cut(body, "\n### Notes\n")
	_, body, _ = strings.Cut(body, "\n") // its title
	doc, err := Parse([]byte("## Active Session\n" + body + "\n" + eventsTable(rows)))
	var faults *SyntaxError
	if errors.As(err, &faults) {
		return State{}, fmt.Errorf("archive of session %q: %w", id, err)
	}
	if err != nil {
		return State{}, err
	}
	state := doc.State()
	if state.Session == nil || state.Session.ID != id {
		return State{}, fmt.Errorf("archive of session %q: it holds no session of that id", id)
	}
	return state, nil
}

// Ended lists the sessions that ended, the last one last. Older ones that the registry's file no
// longer names are left out.
func (s State) Ended() []ArchivedSession {
	return slices.SortedStableFunc(slices.Values(s.Archived), func(x, y ArchivedSession) int {
		return strings.Compare(x.ID, y.ID)
	})
}
