package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/sys/long"
	"delegate/registry"
)

func TestEmptyRepository(t *testing.T) {
	s := storeIn(t.TempDir())
	if state := view(t, s); state.Session != nil || len(state.Notices) > 0 {
		t.Errorf("state %+v", state)
	}
	if _, err := os.Stat(s.o.Path); !errors.Is(err, os.ErrNotExist) {
		t.Error("View wrote the file")
	}
	if _, err := s.Update(t.Context(), message("x")); !errors.Is(err, registry.ErrNoSession) {
		t.Errorf("Record without a session: %v", err)
	}
	update(t, s, nothing)
	if got := read(t, s.o.Path); got != string(registry.New()) {
		t.Errorf("file:\n%s", got)
	}
}

// What is parsed once for many readers is nobody's to change, and counts only as long as the file is that.
func TestReadersDoNotShareWhatTheyChange(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	first := view(t, s)
	name := first.Agents[0].Name
	first.Agents[0].Name, first.Session.ParentTask, first.Events[0].Details = "changed", "changed", "changed"
	if again := view(t, s); again.Agents[0].Name != name || again.Session.ParentTask == "changed" ||
		again.Events[0].Details == "changed" {
		t.Errorf("a reader sees what another changed: %+v", again)
	}
	edit(t, s.o.Path, "**Parent Task**: ", "**Parent Task**: Edited ")
	if state := view(t, s); !strings.HasPrefix(state.Session.ParentTask, "Edited ") {
		t.Errorf("a reader does not see an edit: %+v", state.Session)
	}
	update(t, s, message("one more"))
	if state := view(t, s); !strings.Contains(details(state), "one more") {
		t.Errorf("a reader does not see a write: %s", details(state))
	}
	before := read(t, s.o.Path)
	for range 2 { // what a write in vain made of the file as it was parsed is gone with it
		if _, err := s.Update(t.Context(), func(tx *registry.Tx) error {
			tx.Locate(func(string, registry.Agent) string { return "/elsewhere" })
			return errors.Join(walk("AGT-001", registry.EventSpawning)(tx), errors.New("no"))
		}); err == nil {
			t.Error("a write in vain has no error")
		}
		update(t, s, nothing)
		if read(t, s.o.Path) != before || !strings.Contains(details(view(t, s)), "one more") {
			t.Errorf("after a write in vain:\n%s", read(t, s.o.Path))
		}
	}
	update(t, s, walk("AGT-001", registry.EventSpawning))
	if state := view(t, s); state.Agents[0].Status != registry.Spawning || state.Agents[1].Status != registry.Pending {
		t.Errorf("after a write: %+v", state.Agents)
	}
	update(t, s, walk("AGT-001", registry.EventAborted))
	edit(t, s.o.Path, "**Status**: ACTIVE", "**Status**: COMPLETE") // which is archived as it is read
	if err := os.RemoveAll(s.versions.folder); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if state := view(t, s); state.Session != nil || len(state.Archived) != 1 {
			t.Errorf("a session that ended by hand: %+v, archived %v", state.Session, state.Archived)
		}
	}
}

// A file that one store wrote is parsed no second time by it, and neither is one that it read before.
func TestNothingIsParsedTwice(t *testing.T) {
	o := optionsIn(t.TempDir())
	s, reader := Open(o), Open(o)
	update(t, s, twoAgents)
	written := s.parsed.last[0].doc
	view(t, s)
	if current, err := s.read(t.Context(), writing); err != nil || current.doc != written {
		t.Errorf("what was written is parsed again: %v", err)
	}
	view(t, reader)
	was := reader.parsed.last[0].doc
	update(t, s, message("one more"))
	view(t, reader)
	if len(reader.parsed.last) != 2 || reader.parsed.last[1].doc != was {
		t.Errorf("a reader has %d documents", len(reader.parsed.last))
	}
	for range 2 * keptParses {
		update(t, s, message("and more"))
		view(t, reader)
	}
	if len(s.parsed.last) != keptParses || len(reader.parsed.last) != keptParses {
		t.Errorf("%d and %d documents are kept", len(s.parsed.last), len(reader.parsed.last))
	}
}

// Whatever step of a write a reader comes at, it is told of no older version: also where a session ends just after a
// change without a row, beside which the shorter file is nearer to the version before.
func TestReadersDuringAWrite(t *testing.T) {
	o := optionsIn(t.TempDir())
	reader, seen := Open(o), map[string]bool{}
	o.Step = func(step string) {
		if state := view(t, reader); len(state.Notices) > 0 {
			t.Errorf("at step %q a reader is told %q", step, state.Notices)
		}
		seen[step] = true
	}
	s := Open(o)
	for _, fn := range []func(*registry.Tx) error{
		twoAgents,
		walk("AGT-001", registry.EventSpawning, registry.EventSpawned),
		walk("AGT-001", registry.EventAborted),
		func(tx *registry.Tx) error {
			return tx.Edit("AGT-001", func(a *registry.Agent) {
				a.Head, a.FilesModified = strings.Repeat("1", 40), []string{"a", "b"}
			})
		},
		func(tx *registry.Tx) error {
			return tx.EndSession(registry.SessionAborted, registry.Event{Details: "done", By: "jane"})
		},
	} {
		update(t, s, fn)
	}
	if state := view(t, reader); state.Session != nil || !seen["remembered"] {
		t.Errorf("session %v after steps %v", state.Session, seen)
	}
}

func TestErrorWritesNothing(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	before := read(t, s.o.Path)
	wanted := errors.New("no")
	_, err := s.Update(t.Context(), func(tx *registry.Tx) error {
		if err := message("x")(tx); err != nil {
			return err
		}
		return wanted
	})
	if !errors.Is(err, wanted) || read(t, s.o.Path) != before {
		t.Errorf("error %v", err)
	}
	var active *registry.ActiveSessionError
	if _, err := s.Update(t.Context(), twoAgents); !errors.As(err, &active) || active.ID != "DEL-20260102-150405" {
		t.Errorf("second session: %v", err)
	}
	var unknown *registry.UnknownAgentError
	if _, err := s.Update(t.Context(), walk("AGT-007", registry.EventSpawning)); !errors.As(err, &unknown) ||
		!strings.Contains(err.Error(), "limiter, docs") {
		t.Errorf("unknown agent: %v", err)
	}
	for name, fn := range map[string]func(*registry.Tx) error{
		"status": func(tx *registry.Tx) error {
			return tx.Edit("AGT-001", func(a *registry.Agent) { a.Status = registry.Merged })
		},
		"id": func(tx *registry.Tx) error { return tx.Edit("AGT-001", func(a *registry.Agent) { a.ID = "AGT-009" }) },
		"session": func(tx *registry.Tx) error {
			return tx.EditSession(func(s *registry.Session) { s.Status = registry.SessionMerging })
		},
		"transition": walk("AGT-002", registry.EventMerged),
		"begins as": func(tx *registry.Tx) error {
			_, err := tx.AddAgent(registry.Agent{Status: registry.Merged})
			return err
		},
		"negative": func(tx *registry.Tx) error { return tx.Edit("AGT-001", func(a *registry.Agent) { a.Turns = -1 }) },
	} {
		if _, err := s.Update(t.Context(), fn); err == nil || read(t, s.o.Path) != before {
			t.Errorf("%s: accepted", name)
		}
	}
}

// D-5: a registry that does not parse, or that a newer version wrote, is never overwritten.
func TestBrokenIsNeverOverwritten(t *testing.T) {
	for _, broken := range []string{
		"not a registry\n", "## Active Session\n\n**Status**: BUSY\n",
		strings.Replace(string(registry.New()), "format 1", "format 9", 1),
	} {
		s := storeIn(t.TempDir())
		update(t, s, twoAgents)
		write(t, s.o.Path, broken)
		_, err := s.Update(t.Context(), nothing)
		_, viewErr := s.View(t.Context())
		if err == nil || viewErr == nil || !strings.Contains(err.Error(), s.o.Path) {
			t.Errorf("errors %v, %v", err, viewErr)
		}
		if read(t, s.o.Path) != broken {
			t.Error("overwritten")
		}
	}
}

// D-3: many processes at once lose nothing, and every state in between parses (they read after each write).
func TestManyProcesses(t *testing.T) {
	processes, times := long.Or(128, 16), 3
	if raced {
		processes = 16
	}
	folder := t.TempDir()
	s := storeIn(folder)
	update(t, s, twoAgents)
	var running []*exec.Cmd
	for i := range processes {
		cmd := child(t, "record", folder, "p"+strconv.Itoa(i), strconv.Itoa(times))
		cmd.Stdout = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	state := view(t, s)
	if len(state.Notices) > 0 || state.Agents[0].Turns != processes*times {
		t.Errorf("turns %d, notices %q", state.Agents[0].Turns, state.Notices)
	}
	archived, err := s.archive.rows(state.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := registry.Parse([]byte(read(t, s.o.Path)))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(append(archived, doc.Rows()...), "\n") + "\n"
	if got := strings.Count(all, "\n"); got != processes*times+1 {
		t.Errorf("%d rows, want %d", got, processes*times+1)
	}
	for i := range processes {
		for j := range times {
			if row := fmt.Sprintf("| p%d-%d |", i, j); strings.Count(all, row) != 1 {
				t.Errorf("row %q is there %d times", row, strings.Count(all, row))
			}
		}
	}
}

// An editor saves at each step of a write; both survive.
func TestEditorSavesInBetween(t *testing.T) {
	for _, at := range []string{"prepared", "written", "named", "exchanged", "removed"} {
		t.Run(at, func(t *testing.T) {
			o := optionsIn(t.TempDir())
			s := Open(o)
			update(t, s, twoAgents)
			opened := read(t, o.Path)
			saved := strings.NewReplacer("**Parent Task**: Rate limits", "**Parent Task**: Rate limits, now",
				"### Completed Agents", "A person's line.\n\n### Completed Agents").Replace(opened)
			saves := 0
			o.Step = func(name string) {
				if name == at && saves == 0 {
					saves++
					write(t, o.Path, saved)
				}
			}
			update(t, Open(o), message("ours"))
			state := update(t, s, message("next"))
			if details(state) != "ours next" || state.Session.ParentTask != "Rate limits, now" {
				t.Errorf("events %q, task %q", details(state), state.Session.ParentTask)
			}
			if !strings.Contains(read(t, o.Path), "\nA person's line.\n") {
				t.Errorf("the line is lost:\n%s", read(t, o.Path))
			}
		})
	}
}

// What an editor saved and does not parse stays beside the registry, with a notice.
func TestEditorSavesNonsense(t *testing.T) {
	o := optionsIn(t.TempDir())
	update(t, Open(o), twoAgents)
	o.Step = func(name string) {
		if name == "named" {
			write(t, o.Path, "nonsense")
		}
	}
	state := update(t, Open(o), message("ours"))
	if details(state) != "ours" || len(state.Notices) != 1 || !strings.Contains(state.Notices[0], ".displaced-1") {
		t.Errorf("state %+v", state)
	}
	if got := read(t, o.Path+".displaced-1"); got != "nonsense" {
		t.Errorf("kept %q", got)
	}
}

func TestLockIsWaitedForUntilContextEnds(t *testing.T) {
	s := storeIn(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Update(t.Context(), func(*registry.Tx) error {
		cancel()
		_, err := s.Update(ctx, nothing)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
