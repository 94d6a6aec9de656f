package record

import (
	"context"
	"delegate/registry"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary runs itself as another process: the variable says what that one does.
const roleVariable = "REGISTRY_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	err := map[string]func([]string) error{"record": recordMany, "kill": killedWriter}[role](os.Args[1:])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func child(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}

// recordMany adds rows that name the process, and tells a number of its agent's turns.
func recordMany(args []string) error {
	s := storeIn(args[0])
	times, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	for i := range times {
		_, err := s.Update(context.Background(), func(tx *registry.Tx) error {
			return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001",
				Details: args[1] + "-" + strconv.Itoa(i)},
				func(a *registry.Agent) {
					a.Turns++
				})
		})
		if err != nil {
			return err
		}
		if _, err := s.View(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

func start() time.Time { return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC) }

func optionsIn(folder string) Options {
	logs := filepath.Join(folder, "docs", "logs")
	return Options{
		Path:    filepath.Join(logs, "delegation_registry.md"),
		Private: filepath.Join(folder, "private"),
		Archive: filepath.Join(logs, "archive"),
		Now:     start,
	}
}

func storeIn(folder string) *Store { return Open(optionsIn(folder)) }

func update(t testing.TB, s *Store, fn func(*registry.Tx) error) registry.State {
	t.Helper()
	state, err := s.Update(context.Background(), fn)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func view(t testing.TB, s *Store) registry.State {
	t.Helper()
	state, err := s.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// edit changes a file as a person would, and fails if there is nothing to change.
func edit(t testing.TB, path string, oldNew ...string) {
	t.Helper()
	text := read(t, path)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("no %q in:\n%s", oldNew[i], text)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	write(t, path, text)
}

func nothing(*registry.Tx) error { return nil }

func twoAgents(tx *registry.Tx) error {
	return tx.StartSession(
		registry.Session{ParentTask: "Rate limits", ParentAgent: "Main session", MaxParallel: 3,
			AgentTimeout:  time.Hour,
			HumanApproval: true},
		[]registry.Agent{{Subtask: "Limiter", Allowed: []string{"src/limit/**"}},
			{Subtask: "Docs", Allowed: []string{"docs/*.md"}}},
	)
}

func message(text string) func(*registry.Tx) error {
	return func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: "AGT-001", Details: text}, nil)
	}
}

// walk makes supervisor or person events happen to an agent, each by whoever may.
func walk(agent string, kinds ...registry.Kind) func(*registry.Tx) error {
	return func(tx *registry.Tx) error {
		for _, k := range kinds {
			var err error
			for _, by := range []registry.Decider{registry.Supervisor, registry.Person} {
				if err = tx.Transition(agent, registry.Event{Kind: k}, by, nil); err == nil {
					break
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func details(s registry.State) string {
	var out []string
	for _, e := range s.Events {
		if e.Kind == registry.EventMessage {
			out = append(out, e.Details)
		}
	}
	return strings.Join(out, " ")
}

func as[T error](t testing.TB, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error %v is no %T", err, target)
	}
	return target
}
