package record

import (
	"context"
	"delegate/registry"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

const firstID = "DEL-20260102-150405"

func history(t *testing.T, s *Store, id string) registry.State {
	t.Helper()
	state, err := s.History(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// The history of a session has every row, whichever file it lies in, before and after its end.
func TestHistoryHasEveryRow(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	many(t, s, 0, 500)
	active := view(t, s)
	check := func(state registry.State, rows int) {
		t.Helper()
		if len(state.Events) != rows || state.Session == nil || state.Session.ID != firstID || len(state.Agents) != 2 {
			t.Fatalf("%d rows of %+v with %d agents", len(state.Events), state.Session, len(state.Agents))
		}
		for i, e := range state.Events[1:501] {
			if e.Details != fmt.Sprintf("m%d", i) {
				t.Fatalf("row %d is %+v", i+1, e)
			}
		}
	}
	if len(active.Events) >= 501 {
		t.Fatalf("no row has left the file: %d", len(active.Events))
	}
	check(history(t, s, firstID), 501)

	update(t, s, func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionAborted, registry.Event{Details: "over", By: "Ada"})
	})
	ended := history(t, s, firstID)
	check(ended, 502)
	if last := ended.Events[501]; last.Kind != registry.EventSessionAborted || last.By != "Ada" ||
		ended.Session.Status != registry.SessionAborted {
		t.Errorf("the end is %+v of a session %s", last, ended.Session.Status)
	}
	for i, a := range ended.Agents {
		if was := active.Agents[i]; a.ID != was.ID || a.Subtask != was.Subtask || a.Status != was.Status ||
			strings.Join(a.Allowed, " ") != strings.Join(was.Allowed, " ") {
			t.Errorf("agent %+v was %+v", a, was)
		}
	}
	if ids := view(t, s).Ended(); len(ids) != 1 || ids[0].ID != firstID {
		t.Errorf("ended sessions are %+v", ids)
	}
}

// People's lines in an archive are passed over, and a lost archive is read from its copy.
func TestHistoryOfAnEditedArchive(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, func(tx *registry.Tx) error { return tx.EndSession(registry.SessionAborted, registry.Event{}) })
	text := read(t, archiveOf(s))
	write(t, archiveOf(s), strings.Replace(text, "### Session Events Log",
		"### Notes\n\n## Mine\n#### AGT-001\nwords\n\n### Session Events Log", 1))
	if got := history(t, s, firstID); len(got.Agents) != 2 || len(got.Events) != 2 {
		t.Errorf("%d agents, %d rows", len(got.Agents), len(got.Events))
	}
	write(t, archiveOf(s), strings.ReplaceAll(text, "\n", "\r\n"))
	if got := history(t, s, firstID); len(got.Agents) != 2 || len(got.Events) != 2 {
		t.Errorf("with CRLF: %d agents, %d rows", len(got.Agents), len(got.Events))
	}
	if err := os.Remove(archiveOf(s)); err != nil {
		t.Fatal(err)
	}
	if got := history(t, s, firstID); len(got.Agents) != 2 {
		t.Errorf("from the copy: %d agents", len(got.Agents))
	}
	write(t, archiveOf(s), strings.Replace(text, "**Status**: ABORTED", "**Status**: PERHAPS", 1))
	write(t, strings.Replace(archiveOf(s), s.o.Archive, s.archive.copies, 1), "")
	var faults *registry.SyntaxError
	if _, err := s.History(context.Background(), firstID); !errors.As(err, &faults) ||
		!strings.Contains(err.Error(), firstID) {
		t.Errorf("an archive that does not parse: %v", err)
	}
}

func TestHistoryOfNoSession(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	for _, id := range []string{"", "DEL-20200101-000000", "../../etc/passwd", "DEL-20260102-150405/../x", "README"} {
		var unknown *UnknownSessionError
		if _, err := s.History(context.Background(), id); !errors.As(err, &unknown) || unknown.ID != id {
			t.Errorf("session %q: %v", id, err)
		}
	}
}
