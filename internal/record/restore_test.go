package record

import (
	"delegate/registry"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// D-2: the registry vanishes or jumps back; the next command says so, View without writing, and Update restores it.
func TestVanished(t *testing.T) {
	folder := t.TempDir()
	s := storeIn(folder)
	update(t, s, twoAgents)
	for range 30 {
		update(t, s, func(tx *registry.Tx) error {
			for range 10 {
				if err := message("m")(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	before := read(t, s.o.Path)
	if err := os.RemoveAll(filepath.Join(folder, "docs")); err != nil {
		t.Fatal(err)
	}
	seen := view(t, s)
	if len(seen.Notices) != 1 || seen.Session == nil {
		t.Errorf("view %+v", seen.Notices)
	}
	if _, err := os.Stat(s.o.Path); err == nil {
		t.Error("View wrote")
	}
	state := update(t, s, nothing)
	if len(state.Notices) != 1 || read(t, s.o.Path) != before {
		t.Errorf("notices %q, file:\n%s", state.Notices, read(t, s.o.Path))
	}
	if rows, err := s.archive.rows(state.Session.ID); err != nil || len(rows)+len(state.Events) != 301 {
		t.Errorf("%d rows in the archive, %d in the file, %v", len(rows), len(state.Events), err)
	}
	if _, err := os.Stat(filepath.Join(s.o.Archive, state.Session.ID+".md")); err != nil {
		t.Errorf("the archive is not restored: %v", err)
	}
	if state := update(t, s, nothing); len(state.Notices) > 0 {
		t.Errorf("notices again: %q", state.Notices)
	}
}

func TestJumpedBack(t *testing.T) {
	tests := []struct {
		name string
		back int // versions
		edit []string
		want []string
	}{
		{"to the version before", 1, nil, nil},
		{"to an older one", 9, nil, nil},
		{"beyond what is kept", 25, nil, nil},
		{
			"to an older one with edits", 9,
			[]string{"**Subtask**: Docs", "**Subtask**: Docs and more", "### Pending Merges",
				"A line.\n\n### Pending Merges"},
			[]string{"**Subtask**: Docs and more", "\nA line.\n"},
		},
		{
			"edits on the version before", 1,
			[]string{"**Subtask**: Docs", "**Subtask**: Docs and more\n- **Mood**: good", "## Archived Sessions",
				"## Ours\n\nwords\n\n## Archived Sessions"},
			[]string{"**Subtask**: Docs and more\n- **Mood**: good\n", "## Ours\n\nwords\n"},
		},
		{
			"beyond what is kept with edits", 25,
			[]string{"### Pending Merges", "A line.\n\n### Pending Merges", "# Delegation Registry",
				"# Delegation Registry\n\nAnother."},
			[]string{"\nA line.\n", "\nAnother.\n"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := storeIn(t.TempDir())
			written := thirtyWrites(t, s)
			last := read(t, s.o.Path)
			write(t, s.o.Path, written[len(written)-test.back])
			if test.edit != nil {
				edit(t, s.o.Path, test.edit...)
			}
			state := update(t, s, nothing)
			got := read(t, s.o.Path)
			if len(state.Notices) == 0 || state.Agents[0].Status != registry.Running || len(state.Events) != 33 {
				t.Errorf("notices %q, status %s, %d events", state.Notices, state.Agents[0].Status, len(state.Events))
			}
			if test.edit == nil && got != last {
				t.Errorf("file:\n%s\nwant:\n%s", got, last)
			}
			for _, want := range test.want {
				if strings.Count(got, want) != 1 {
					t.Errorf("%q is there %d times:\n%s", want, strings.Count(got, want), got)
				}
			}
			if lost := registry.Without(strings.Split(last, "\n"), strings.Split(got, "\n")); len(lost) > 1 {
				t.Errorf("lost %q", lost)
			}
		})
	}
}

// thirtyWrites returns the file before each.
func thirtyWrites(t *testing.T, s *Store) []string {
	t.Helper()
	update(t, s, twoAgents)
	update(t, s, walk("AGT-001", registry.EventSpawning))
	written := []string{read(t, s.o.Path)}
	update(t, s, walk("AGT-001", registry.EventSpawned))
	for i := range 30 {
		written = append(written, read(t, s.o.Path))
		update(t, s, message("m"+strings.Repeat("i", i)))
	}
	return written
}

// A registry of another branch, with a session nobody here knows, does not replace ours, and a copy of it is kept.
func TestUnrelatedRegistry(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	last := read(t, s.o.Path)
	other := strings.Replace(read(t, "../../registry/testdata/handwritten.md"), "DEL-20260102-150405",
		"DEL-20251224-180000", 1)
	write(t, s.o.Path, other)
	state := update(t, s, nothing)
	got := read(t, s.o.Path)
	if lost := registry.Without(strings.Split(last, "\n"), strings.Split(got, "\n")); len(lost) > 0 {
		t.Errorf("lost %q", lost)
	}
	for _, want := range []string{"Kept by the platform team.", "Our words about the session.", "### Our own section",
		"## Ours at the end"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	copies, err := filepath.Glob(filepath.Join(s.o.Private, "registry.replaced", "*"))
	if err != nil || len(copies) != 1 || read(t, copies[0]) != other {
		t.Errorf("copies %q, %v", copies, err)
	}
	if len(state.Notices) != 2 || !strings.Contains(state.Notices[1], copies[0]) {
		t.Errorf("notices %q", state.Notices)
	}
}

// People edit the current file: it is taken as it is, without a word.
func TestPersonsEditsAreTaken(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, message("one"))
	edit(t, s.o.Path, "**Subtask**: Docs", "**Subtask**: Other docs", "**Status**: PENDING", "**Status**: FAILED",
		"## Archived Sessions", "> words\n\n## Archived Sessions")
	edited := read(t, s.o.Path)
	state := update(t, s, nothing)
	if len(state.Notices) > 0 || read(t, s.o.Path) != edited || state.Agents[1].Subtask != "Other docs" ||
		state.Agents[0].Status != registry.Failed {
		t.Errorf("notices %q, file:\n%s", state.Notices, read(t, s.o.Path))
	}
}

// Rows are never lost, also when a person deletes or rewrites one; other edits of the same save are kept.
func TestDeletedRowComesBack(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, message("one"))
	update(t, s, message("two"))
	edit(t, s.o.Path, "| one |", "| 1 |", "**Subtask**: Docs", "**Subtask**: Other docs")
	state := update(t, s, message("three"))
	if got := details(state); got != "one two 1 three" && got != "1 one two three" && got != "one 1 two three" {
		t.Errorf("events %q", got)
	}
	if len(state.Notices) != 1 || state.Agents[1].Subtask != "Other docs" {
		t.Errorf("notices %q, subtask %q", state.Notices, state.Agents[1].Subtask)
	}
}

// Both sides change one field: ours stays, and the person's value is shown below the block.
func TestBothChangedOneField(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	opened := read(t, s.o.Path)
	update(t, s, func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001", Details: "m"},
			func(a *registry.Agent) {
				a.Subtask = "Ours"
			})
	})
	write(t, s.o.Path, strings.Replace(opened, "**Subtask**: Limiter", "**Subtask**: Theirs", 1))
	state := update(t, s, nothing)
	if state.Agents[0].Subtask != "Ours" ||
		!strings.Contains(read(t, s.o.Path),
			"An edit of Subtask was not taken, because it changed at the same time: Theirs\n") {
		t.Errorf("file:\n%s", read(t, s.o.Path))
	}
	update(t, s, nothing)
	if strings.Count(read(t, s.o.Path), "was not taken") != 1 {
		t.Error("said twice")
	}
}

// An old buffer without new rows is told from an edit of the current file by the fields.
func TestOldBufferWithoutNewRows(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	opened := read(t, s.o.Path)
	update(t, s, func(tx *registry.Tx) error {
		return tx.Edit("AGT-001", func(a *registry.Agent) { a.Turns, a.Branch, a.Head = 2, "b", "c" })
	})
	write(t, s.o.Path, strings.Replace(opened, "**Subtask**: Docs", "**Subtask**: Other docs", 1))
	state := update(t, s, nothing)
	if state.Agents[0].Turns != 2 || state.Agents[1].Subtask != "Other docs" {
		t.Errorf("agents %+v", state.Agents)
	}
}

// Without its private folder the registry is what the file says.
func TestPrivateFolderLost(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	if err := os.RemoveAll(s.o.Private); err != nil {
		t.Fatal(err)
	}
	state := update(t, s, message("m"))
	if len(state.Notices) > 0 || len(state.Events) != 2 {
		t.Errorf("state %+v", state)
	}
}

// An attempt that began after the last version has no base yet, and is what counts: a reader that comes between the
// file and its version does not go back to the attempt before.
func TestANewerAttemptIsNotDamage(t *testing.T) {
	o := optionsIn(t.TempDir())
	s := Open(o)
	update(t, s, twoAgents)
	update(t, s, func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001", Details: "begun"},
			func(a *registry.Agent) {
				a.Attempt, a.Branch, a.Worktree, a.Base = 1, "delegate/one", "one", strings.Repeat("a", 40)
			})
	})
	edit(t, o.Path, "**Status**: PENDING", "**Status**: FAILED")
	update(t, s, message("failed"))
	var between []registry.State
	o.Step = func(name string) {
		if name == "synced" {
			state, err := s.View(t.Context())
			if err != nil {
				t.Error(err)
			}
			between = append(between, state)
		}
	}
	update(t, Open(o), func(tx *registry.Tx) error {
		return tx.Transition("AGT-001", registry.Event{Kind: registry.EventRetried}, registry.Person,
			func(a *registry.Agent) {
				a.Attempt, a.Branch, a.Worktree, a.Base = 2, "delegate/one.2", "one.2", ""
			})
	})
	if len(between) != 1 || between[0].Agents[0].Attempt != 2 || len(between[0].Notices) > 0 {
		t.Errorf("between them %+v", between)
	}
}
