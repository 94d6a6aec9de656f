package record

import (
	"errors"
	"os"
	"strings"
	"testing"

	"delegate/registry"
)

func overridden(text string) func(*registry.Tx) error {
	return func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventOverridden, Agent: "AGT-001", Details: text, By: "ada"}
		return tx.Record(e, nil)
	}
}

// wantDecisions holds that the log of decisions and the record differ by these texts and no other.
func wantDecisions(t *testing.T, s *Store, want ...string) DecisionCheck {
	t.Helper()
	check, err := s.CheckDecisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(check.Faults) != len(want) {
		t.Fatalf("differences %q, want %q", check.Faults, want)
	}
	for i, text := range want {
		if !strings.Contains(check.Faults[i].Text, text) {
			t.Errorf("difference %q, want %q", check.Faults[i].Text, text)
		}
	}
	return check
}

func replaceIn(t *testing.T, path, old, by string) {
	t.Helper()
	text := read(t, path)
	if !strings.Contains(text, old) {
		t.Fatalf("%s lacks %q:\n%s", path, old, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, old, by, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDecisionsOfAnEditedRecord holds that a decision which nobody took is seen, and one that was taken away or
// reworded, in the active session and in its archive.
func TestDecisionsOfAnEditedRecord(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	update(t, s, overridden("the real one"))
	update(t, s, message("no decision"))
	check := wantDecisions(t, s)
	if check.Entries != 2 || len(check.Last) != 64 {
		t.Errorf("%d entries, the last %q", check.Entries, check.Last)
	}
	row := func(text string) string {
		for line := range strings.Lines(read(t, s.o.Path)) {
			if strings.Contains(line, text) {
				return line
			}
		}
		t.Fatalf("no row %q", text)
		return ""
	}
	forged := row("the real one") + strings.Replace(row("the real one"), "the real one", "a forged one", 1)
	replaceIn(t, s.o.Path, row("the real one"), forged)
	wantDecisions(t, s, `a row that this program did not write: 2026-01-02 15:04:05 OVERRIDDEN AGT-001 "a forged one" by ada`)
	update(t, s, message("a write does not make it true"))
	wantDecisions(t, s, "a forged one")
	update(t, s, func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionAborted, registry.Event{Details: "over"})
	})
	archived := s.archive.folder + "/DEL-20260102-150405.md"
	for _, path := range []string{archived, s.archive.copies + "/DEL-20260102-150405.md"} {
		replaceIn(t, path, "the real one", "another one")
	}
	found := wantDecisions(t, s, `"the real one"`, `"another one"`, `"a forged one"`).Faults
	if found[0].Session != "DEL-20260102-150405" {
		t.Errorf("the difference is of session %q", found[0].Session)
	}
	for _, path := range []string{archived, s.archive.copies + "/DEL-20260102-150405.md"} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	wantDecisions(t, s, "its record is missing; the decision log has 2 of it")
}

// TestDecisionsOfAChangedLog holds that a line which was changed or taken out of the log itself is seen, and that one
// which a crash cut off is not counted.
func TestDecisionsOfAChangedLog(t *testing.T) {
	begin := func(t *testing.T) (s *Store, path string) {
		s = storeIn(t.TempDir())
		update(t, s, twoAgents)
		update(t, s, overridden("one"))
		update(t, s, overridden("two"))
		return s, s.decisions.path
	}
	t.Run("reworded", func(t *testing.T) {
		s, path := begin(t)
		replaceIn(t, path, "one", "ten")
		wantDecisions(t, s, "decisions.log:3: the line was changed, or one before it is gone", `is not in the record`, `"one"`)
	})
	t.Run("taken out", func(t *testing.T) {
		s, path := begin(t)
		lines := strings.SplitAfter(read(t, path), "\n")
		replaceIn(t, path, lines[1], "")
		wantDecisions(t, s, "decisions.log:2:", "has 2 lines, and this clone wrote 3", `did not write: 2026-01-02 15:04:05 OVERRIDDEN AGT-001 "one"`)
	})
	t.Run("cut off", func(t *testing.T) {
		s, path := begin(t)
		replaceIn(t, path, read(t, path), read(t, path)+`{"session":"DEL-2026`)
		wantDecisions(t, s)
		update(t, s, overridden("three"))
		if check := wantDecisions(t, s); check.Entries != 4 {
			t.Errorf("%d entries, want 4", check.Entries)
		}
	})
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"zeroed": func(path string) error {
			return errors.Join(os.Truncate(path, 0), os.Truncate(path, 400))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, path := begin(t)
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			check := wantDecisions(t, s, "has 0 lines, and this clone wrote 3")
			if len(check.Faults[0].Next) == 0 {
				t.Error("no way out is named")
			}
			update(t, s, overridden("three"))
			wantDecisions(t, s, "has 1 lines, and this clone wrote 4")
		})
	}
	t.Run("of another clone", func(t *testing.T) {
		s, path := begin(t)
		if err := errors.Join(os.Remove(path), os.Remove(s.lockFile())); err != nil {
			t.Fatal(err)
		}
		update(t, s, overridden("three"))
		if check := wantDecisions(t, s); check.Entries != 1 {
			t.Errorf("%d entries, want 1", check.Entries)
		}
	})
}
