package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/notify"
	"delegate/registry"
)

// announced remembers up to which row a person was told, so that nobody is told twice, but where a power cut took it.
type announced struct {
	Session string         `json:"session"`
	Last    registry.Event `json:"last"`
}

func announcedFile(p *project.Project) string { return filepath.Join(p.Private, "announced.json") }

// announceRows begins to tell a person what is new in the log and needs them. Telling never holds anything up.
func (s *supervisor) announceRows(ctx context.Context) {
	if s.busy[lane{"", ofNews}] != nil || s.announcedAt == s.seen {
		return
	}
	s.announcedAt = s.seen
	rows := s.newRows()
	if len(rows) == 0 {
		return
	}
	s.tellPerson(ctx, "", rows)
}

// tellPerson begins to send rows about an agent, "" for those of the log, to a person.
func (s *supervisor) tellPerson(ctx context.Context, agent string, rows []registry.Event) {
	s.begin(lane{agent, ofNews}, "tell a person of", func(s snapshot) error { return s.notify(ctx, rows) })
}

// newRows are the rows behind the last one that a person was told of, as far as they matter to them;
// all of them count as told from here on.
func (s *supervisor) newRows() []registry.Event {
	events, session := s.state.Events, s.state.Session.ID
	if len(events) == 0 {
		return nil
	}
	var before announced
	from := 0
	if data, err := os.ReadFile(announcedFile(s.p)); err == nil && json.Unmarshal(data, &before) == nil &&
		before.Session == session {
		from = len(events) // a row that is not found is in the archive or was edited: better silent than twice
		for i, e := range slices.Backward(events) {
			if e == before.Last {
				from = i + 1
				break
			}
		}
	}
	last := events[len(events)-1]
	if before.Session == session && before.Last == last {
		return nil
	}
	data, err := json.Marshal(announced{Session: session, Last: last})
	if err == nil {
		err = atomicfile.WriteUnsynced(announcedFile(s.p), data, 0o600)
	}
	if err != nil {
		s.note("note what a person was told", err)
		return nil
	}
	var rows []registry.Event
	for i := from; i < len(events); i++ {
		if calls(events, i) {
			rows = append(rows, events[i])
		}
	}
	return rows
}

// calls reports whether a row is worth disturbing a person.
func calls(events []registry.Event, i int) bool {
	e := events[i]
	switch e.Kind {
	case registry.EventCheckpoint, registry.EventComplete:
		return e.By == session.BySupervisor // the verdict, not a block in the middle of a turn
	case registry.EventFailed:
		return !slices.ContainsFunc(events[i+1:], func(later registry.Event) bool {
			return later.Agent == e.Agent && later.Kind == registry.EventRespawned
		})
	case registry.EventEscalated, registry.EventConflict, registry.EventViolation:
		return true
	}
	return false
}

// notify sends the rows one after the other.
func (s snapshot) notify(ctx context.Context, rows []registry.Event) error {
	var errs []error
	for _, e := range rows {
		status := string(s.state.Session.Status)
		if a, err := s.state.Agent(e.Agent); err == nil {
			status = string(a.Status)
		}
		errs = append(errs, notify.Send(ctx, notify.Options{Command: s.p.Config.Notify, Desktop: true, Dir: s.p.Main},
			notify.Event{Session: s.state.Session.ID, Agent: e.Agent, Event: string(e.Kind), Details: e.Details,
				Status: status, Time: e.Time}))
	}
	return errors.Join(errs...)
}
