package record

import (
	"context"
	"delegate/registry"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// killedWriter makes one write and dies at a step; with a third argument somebody saves right before the exchange.
func killedWriter(args []string) error {
	o := optionsIn(args[0])
	saves := 0
	o.Step = func(name string) {
		if name == "named" && args[2] == "save" && saves == 0 {
			saves++
			data, err := os.ReadFile(o.Path)
			if err != nil {
				panic(err)
			}
			saved := strings.Replace(string(data), "# Delegation Registry\n", "# Delegation Registry\nsaved words\n", 1)
			if err := os.WriteFile(o.Path, []byte(saved), 0o644); err != nil {
				panic(err)
			}
		}
		if name == args[1] {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {}
		}
	}
	fn := map[string]func(*registry.Tx) error{
		"row":      message("killed"),
		"decision": overridden("killed"),
		"end": func(tx *registry.Tx) error {
			return tx.EndSession(registry.SessionAborted, registry.Event{Details: "killed"})
		},
	}[args[3]]
	_, err := Open(o).Update(context.Background(), fn)
	return err
}

// Whatever the step at which a writer is killed, the file is the old or the new one, parses, and the next write works.
func TestKilledAtEveryStep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the steps are those of an exchange of files")
	}
	plain := []string{"prepared", "written", "named", "exchanged", "removed", "synced", "remembered"}
	for _, test := range []struct {
		save, what string
		rows       int // before the write
		steps      []string
	}{
		{"", "row", 5, plain},
		{"", "decision", 5, append(plain, "logged")},
		{"", "row", maxRows, append(plain, "moved")},
		{"", "end", 5, append(plain, "archived")},
		{"save", "row", 5, []string{"named", "exchanged", "kept", "synced", "removed", "remembered"}},
	} {
		for _, step := range test.steps {
			name := strings.Join([]string{test.what, test.save, step}, " ")
			t.Run(name, func(t *testing.T) { killedAt(t, crash{test.what, test.save, step, test.rows}) })
		}
	}
}

type crash struct {
	what, save, step string
	rows             int // before the write
}

func killedAt(t *testing.T, c crash) {
	what, save, step, rows := c.what, c.save, c.step, c.rows
	folder := t.TempDir()
	s := storeIn(folder)
	update(t, s, twoAgents)
	update(t, s, func(tx *registry.Tx) error {
		for len(tx.State().Events) < rows {
			if err := message("before")(tx); err != nil {
				return err
			}
		}
		return nil
	})
	old := read(t, s.o.Path)
	out, err := child(t, "kill", folder, step, save, what).CombinedOutput()
	if killed := (*exec.ExitError)(nil); !errors.As(err, &killed) || killed.Exited() {
		t.Fatalf("the writer was not killed: %v %s", err, out)
	}
	current := read(t, s.o.Path)
	isNew := strings.Contains(current, "killed") || strings.Contains(current, "[DEL-20260102-150405]")
	if current != old && !isNew && save == "" {
		t.Errorf("neither the old nor the new file:\n%s", current)
	}
	if notices := view(t, s).Notices; save == "" && len(notices) > 0 {
		t.Errorf("notices %q", notices)
	}

	wantDecisions(t, s)
	if what == "end" {
		endAgain(t, s, rows)
		wantDecisions(t, s)
		return
	}
	update(t, s, overridden("after"))
	wantDecisions(t, s)
	state := view(t, s)
	archived, err := s.archive.rows("DEL-20260102-150405")
	if err != nil {
		t.Fatal(err)
	}
	want := rows + 1
	if isNew {
		want++
	}
	if got := len(archived) + len(state.Events); got != want {
		t.Errorf("%d rows in archive and %d in file, want %d", len(archived), len(state.Events), want)
	}
	if save != "" && !strings.Contains(read(t, s.o.Path), "\nsaved words\n") {
		t.Errorf("what a person saved is lost:\n%s", read(t, s.o.Path))
	}
	if entries, _ := os.ReadDir(folder + "/docs/logs"); len(entries) > 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// endAgain ends a session whose end was killed, unless it had come about.
func endAgain(t *testing.T, s *Store, rows int) {
	state := update(t, s, func(tx *registry.Tx) error {
		if tx.State().Session == nil {
			return nil
		}
		return tx.EndSession(registry.SessionAborted, registry.Event{Details: "again"})
	})
	archived, err := s.archive.rows("DEL-20260102-150405")
	if err != nil || state.Session != nil || len(state.Archived) != 1 || len(archived) != rows+1 {
		t.Errorf("after it: %+v, %d rows archived, %v", state, len(archived), err)
	}
}
