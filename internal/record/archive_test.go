package record

import (
	"delegate/registry"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func many(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i += 50 {
		update(t, s, func(tx *registry.Tx) error {
			for j := i; j < min(i+50, to); j++ {
				if err := message(fmt.Sprintf("m%d", j))(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func archiveOf(s *Store) string { return filepath.Join(s.o.Archive, "DEL-20260102-150405.md") }

// D-8: the file keeps a bounded number of rows, and no row is lost, doubled or out of order.
func TestOldRowsMove(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	many(t, s, 0, 1000)
	state := view(t, s)
	if len(state.Events) > maxRows {
		t.Errorf("%d rows in the file", len(state.Events))
	}
	text := read(t, s.o.Path)
	link := "(archive/DEL-20260102-150405.md)\n\n| Timestamp"
	if !strings.Contains(text, link) || strings.Count(text, "Older events:") != 1 {
		t.Errorf("no link above the table:\n%s", text[:2000])
	}
	doc, _ := registry.Parse([]byte(text))
	rows := append(archiveRows(read(t, archiveOf(s))), doc.Rows()...)
	if len(rows) != 1001 || doc.MovedRows() != 1001-len(state.Events) {
		t.Fatalf("%d rows, %d said to be moved", len(rows), doc.MovedRows())
	}
	for i, row := range rows[1:] {
		if !strings.Contains(row, fmt.Sprintf("| m%d |", i)) {
			t.Fatalf("row %d is %q", i+1, row)
		}
	}
}

// The archive was extended, or torn, and the registry not written: doing it again loses and doubles nothing.
func TestArchiveAfterCrash(t *testing.T) {
	for name, harm := range map[string]func(*testing.T, *Store){
		"extended": func(*testing.T, *Store) {},
		"torn": func(t *testing.T, s *Store) {
			text := read(t, archiveOf(s))
			write(t, archiveOf(s), text[:len(text)-30])
		},
		"torn head": func(t *testing.T, s *Store) { write(t, archiveOf(s), "# Archived Sess") },
		"gone": func(t *testing.T, s *Store) {
			if err := os.RemoveAll(s.o.Archive); err != nil {
				t.Fatal(err)
			}
		},
		"person's words": func(t *testing.T, s *Store) {
			write(t, archiveOf(s), strings.Replace(read(t, archiveOf(s)), "\n\n", "\n\nA person's line.\n\n", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeIn(t.TempDir())
			update(t, s, twoAgents)
			many(t, s, 0, 190)
			before := read(t, s.o.Path)
			versions, err := s.versions.numbers()
			if err != nil {
				t.Fatal(err)
			}
			many(t, s, 190, 230)
			write(t, s.o.Path, before) // as if the write after the archive's had not happened
			if err := os.Remove(s.versions.path(versions[0] + 1)); err != nil {
				t.Fatal(err)
			}
			harm(t, s)
			many(t, s, 190, 240)
			doc, _ := registry.Parse([]byte(read(t, s.o.Path)))
			rows := append(archiveRows(read(t, archiveOf(s))), doc.Rows()...)
			if len(rows) != 241 {
				t.Fatalf("%d rows", len(rows))
			}
			for i, row := range rows[1:] {
				if !strings.Contains(row, fmt.Sprintf("| m%d |", i)) {
					t.Fatalf("row %d is %q", i+1, row)
				}
			}
			if name == "person's words" && !strings.Contains(read(t, archiveOf(s)), "A person's line.") {
				t.Error("a person's line is lost")
			}
		})
	}
}

func TestEndSession(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, walk("AGT-001", registry.EventSpawning, registry.EventSpawned))
	end := func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionComplete, registry.Event{Details: "done", By: "jane"})
	}
	if _, err := s.Update(t.Context(), end); len(as[*registry.SessionError](t, err).Busy) != 1 {
		t.Errorf("ended while an agent runs: %v", err)
	}
	update(t, s, walk("AGT-001", registry.EventComplete))
	edit(t, s.o.Path, "#### AGT-002", "A person's line.\n\n#### AGT-002", "### Pending Merges",
		"### Ours\n\nwords\n\n### Pending Merges")
	many(t, s, 0, 300)
	write(t, archiveOf(s), strings.Replace(read(t, archiveOf(s)), "\n\n", "\n\nA note in the archive.\n\n", 1))
	update(t, s, func(tx *registry.Tx) error {
		return tx.SessionStatus(registry.SessionMerging, registry.Event{Kind: registry.EventApproved})
	})
	if _, err := s.Update(t.Context(), end); as[*registry.SessionError](t, err).From != registry.SessionMerging {
		t.Errorf("ended during a landing: %v", err)
	}
	update(t, s, func(tx *registry.Tx) error {
		return tx.SessionStatus(registry.SessionActive, registry.Event{Kind: registry.EventMerged})
	})

	state := update(t, s, end)
	if state.Session != nil || len(state.Agents) > 0 || len(state.Events) > 0 || len(state.Archived) != 1 {
		t.Errorf("state %+v", state)
	}
	text := read(t, s.o.Path)
	if !strings.Contains(text, "## Active Session\n\n**Status**: None\n\n### Configuration\n") ||
		!strings.Contains(text, "### Ours\n\nwords\n") {
		t.Errorf("file:\n%s", text)
	}
	archive := read(t, archiveOf(s))
	for _, want := range []string{
		"\n**Status**: COMPLETE  \n", "- Max Parallel Agents: 3\n",
		"#### AGT-001\n- **Subtask**: Limiter\n- **Status**: COMPLETE\n",
		"\nA person's line.\n", "\nA note in the archive.\n", "| SESSION_COMPLETE | - | done (by jane) |\n",
	} {
		if strings.Count(archive, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(archive, want), archive[:1500])
		}
	}
	if rows := archiveRows(archive); len(rows) != 307 {
		t.Errorf("%d rows", len(rows))
	}
	for range 2 { // the same second again: the id is taken, so it gets the next free one
		state = update(t, s, twoAgents)
		update(t, s, func(tx *registry.Tx) error { return tx.EndSession(registry.SessionAborted, registry.Event{}) })
	}
	if state.Session.ID != "DEL-20260102-150407" {
		t.Errorf("id %s", state.Session.ID)
	}
}

// One line a session, the newest in the registry, older ones in the archive's index.
func TestManySessions(t *testing.T) {
	s := storeIn(t.TempDir())
	var ids []string
	for range maxArchived + 5 {
		state := update(t, s, twoAgents)
		ids = append(ids, state.Session.ID)
		update(t, s, func(tx *registry.Tx) error { return tx.EndSession(registry.SessionComplete, registry.Event{}) })
	}
	state := view(t, s)
	if len(state.Archived) != maxArchived || state.Stats.Sessions != maxArchived+5 ||
		state.Stats.Agents != 2*(maxArchived+5) {
		t.Errorf("%d lines, %+v", len(state.Archived), state.Stats)
	}
	index := read(t, filepath.Join(s.o.Archive, indexName))
	for i, id := range ids {
		inIndex := strings.Count(index, "- ["+id+"]("+id+".md): COMPLETE, 2 agents, Rate limits\n")
		if inIndex != 1 && i < 5 || inIndex != 0 && i >= 5 {
			t.Errorf("%s is %d times in the index", id, inIndex)
		}
	}
	text := read(t, s.o.Path)
	if !strings.Contains(text, "Older sessions: 5 in [archive/README.md](archive/README.md)\n\n- [") ||
		len(text) > 10_000 {
		t.Errorf("file:\n%s", text)
	}
	if err := os.Remove(s.o.Path); err != nil {
		t.Fatal(err)
	}
	if state := update(t, s, nothing); len(state.Archived) != maxArchived || read(t, s.o.Path) != text {
		t.Error("not restored as it was")
	}
}

func TestAddAgent(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, func(tx *registry.Tx) error {
		id, err := tx.AddAgent(registry.Agent{Subtask: "More"})
		if id != "AGT-003" {
			t.Errorf("id %q", id)
		}
		return err
	})
	if _, err := view(t, s).Agent("AGT-003"); err != nil {
		t.Error(err)
	}
}

// Totals count transitions, and conflicts and violations by their rows; a row alone is no transition.
func TestStatistics(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, walk("AGT-001", registry.EventSpawning, registry.EventSpawned, registry.EventComplete,
		registry.EventMerged, registry.EventRolledBack, registry.EventMerged))
	update(t, s, walk("AGT-002", registry.EventSpawning, registry.EventFailed, registry.EventAborted))
	state := update(t, s, func(tx *registry.Tx) error {
		for _, k := range []registry.Kind{registry.EventConflict, registry.EventViolation, registry.EventViolation,
			registry.EventFailed, registry.EventMerged} {
			if err := tx.Record(registry.Event{Kind: k, Agent: "AGT-001"}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	want := registry.Statistics{Sessions: 1, Agents: 2, Merged: 1, Failed: 1, Aborted: 1, RolledBack: 1, Conflicts: 1,
		Violations: 2}
	if state.Stats != want {
		t.Errorf("%+v, want %+v", state.Stats, want)
	}
}
