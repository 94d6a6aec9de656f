//go:build linux

package supervise

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/long"
	"delegate/internal/text/notes"
	"delegate/internal/view/status"
	"delegate/registry"
)

// TestOrders holds what lines in COMMANDS.md do, that each is handled once, also when everything
// private about it is lost, and that what could harm others waits for a person.
func TestOrders(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP",
		"max_parallel_agents: 1\n"+withoutFence)
	ctx := context.Background()
	d.begin(3)
	d.reaches("AGT-001", registry.Running)
	sessionID := d.state().Session.ID
	order := func(lines string) {
		t.Helper()
		if err := os.MkdirAll(d.Logs(sessionID), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := session.AppendLine(session.CommandsFile(d.Project, sessionID), lines); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(parts ...string) {
		t.Helper()
		d.until(strings.Join(parts, ", "), func() bool {
			data, _ := os.ReadFile(session.StateFile(d.Project, sessionID))
			for _, part := range parts {
				if !strings.Contains(string(data), part) {
					return false
				}
			}
			return true
		})
	}
	order("# Commands\n\n[2026-01-02 15:00] [PAUSE] lunch\n")
	shows("**Paused**: yes", "paused: running turns end, none is started")
	order("[2026-01-02 15:02] [RESUME]\n[2026-01-02 15:01] [DANCE]\nDance\n" +
		"[2026-01-02 15:03] [FOCUS_ON_TASK] AGT-003\n" + strings.Repeat("[2026-01-02 15:04] [ABORT] AGT-002\n", 2))
	shows("**Paused**: no", "not understood", "waits for your confirmation: delegate review", "delegate review")
	if s := d.agent("AGT-002").Status; s != registry.Pending {
		t.Errorf("AGT-002 is %s without a confirmation", s)
	}
	data, _ := os.ReadFile(session.StateFile(d.Project, sessionID))
	if !regexp.MustCompile(`(?s)\| turns are started again.*DANCE.*\| Dance \| not understood.*FOCUS`).Match(data) {
		t.Errorf("answers are not in the order of lines:\n%s", data)
	}
	confirm := func(part string, decision control.Decision) {
		t.Helper()
		points, err := status.Points(d.Project, d.state())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if p.Kind == status.OrderPoint && strings.Contains(p.Text, part) {
				if _, err := d.Confirm(ctx, *p.Order, decision); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		t.Fatalf("no order with %q among %v", part, points)
	}
	if book, err := session.ReadCommands(d.Project, sessionID); err != nil || len(book.Waiting) != 2 {
		t.Errorf("commands that wait: %+v, %v", book.Waiting, err)
	}
	confirm("ABORT AGT-002", control.Decline)
	confirm("FOCUS_ON_TASK AGT-003", control.CarryOut)
	shows("declined (by Ada)", "AGT-003 is at the front of the queue (by Ada)")

	// Everything private about it is lost: nothing is handled twice.
	d.kill()
	if err := os.Remove(session.CommandBookFile(d.Project, sessionID)); err != nil {
		t.Fatal(err)
	}
	d.launch()
	order("[2026-01-02 15:05] [FOCUS_ON_TASK] mind the tests\n") // and one with a last line that was not ended
	order("[2026-01-02 15:06] [STATUS]")
	shows("this file is up to date")
	confirm("mind the tests", control.CarryOut)
	d.touch("go")
	d.reaches("AGT-001", registry.Checkpoint)
	d.reaches("AGT-003", registry.Checkpoint) // before AGT-002, which came first
	if !strings.Contains(d.prompt("AGT-003", 1), "mind the tests") {
		t.Errorf("prompt of AGT-003:\n%s", d.prompt("AGT-003", 1))
	}
	var spawned []string
	for _, e := range d.state().Events {
		if e.Kind == registry.EventSpawned {
			spawned = append(spawned, e.Agent)
		}
	}
	if got := strings.Join(spawned[:2], " "); got != "AGT-001 AGT-003" {
		t.Errorf("spawned %q", spawned)
	}
	if paused := d.events("", registry.EventInterrupted); len(paused) != 1 {
		t.Errorf("paused %d times", len(paused))
	}
}

// TestMemory holds that notes from an inbox reach the shared file once and the next agent's prompt,
// that an agent gets its own history back, and that a failure is remembered for a task like it.
func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
case $DELEGATE_AGENT in
AGT-001) printf 'The limiter needs a clock.\n## 2026 · forged\n' > $DELEGATE_AGENT_DIR/inbox/limiter.md; echo tried x > $DELEGATE_AGENT_DIR/history.md
	if grep -q 'tried x' $DELEGATE_PROMPT_FILE; then echo w > w.txt; block COMPLETE MERGE; else echo cannot open 4711 >&2; exit 3; fi ;;
AGT-002) block BLOCKED HELP ;;
esac
`, "max_parallel_agents: 1\n")
	d.begin(2)
	d.reaches("AGT-001", registry.Failed)
	d.reaches("AGT-002", registry.Checkpoint)
	text, err := os.ReadFile(session.Notes(d.Project).Path)
	if err != nil || strings.Count(string(text), "limiter.md") != 1 || strings.Count(string(text), "\n## ") != 1 {
		t.Errorf("notes %q, %v", text, err)
	}
	if prompt := d.prompt("AGT-002", 1); !strings.Contains(prompt, "The limiter needs a clock.") ||
		!strings.Contains(prompt, "seen once") || !strings.Contains(prompt, "exit status 3") {
		t.Errorf("the next agent is not told:\n%s", prompt)
	}
	if _, err := d.Retry(context.Background(), "AGT-001"); err != nil {
		t.Fatal(err)
	}
	if a := d.reaches("AGT-001", registry.Complete); a.Attempt != 2 {
		t.Errorf("attempt %d", a.Attempt)
	}
	found, err := session.Learnings(d.Project).ForTask(notes.Task{Type: "QUICK", Scope: []string{"**/*.txt"},
		Text: "Write other text files."}, 10)
	if err != nil || len(found) != 1 || found[0].Seen != 1 {
		t.Errorf("learnings %+v, %v", found, err)
	}
}

// TestLimitsAreAPersonsToLift holds that an agent which a limit stopped does not go on, nor gets its time anew, where
// an agent program asks for it.
func TestLimitsAreAPersonsToLift(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `grep -q 'try again' $DELEGATE_PROMPT_FILE && block COMPLETE MERGE || exit 3`, "")
	d.begin(1)
	d.reaches("AGT-001", registry.Failed)
	below, nobody := d.Control, errors.New("nobody is there")
	below.Below = nobody
	flagged := func(kinds ...registry.FlagKind) {
		t.Helper()
		if _, err := d.Store.Update(t.Context(), func(tx *registry.Tx) error {
			return tx.Edit("AGT-001", func(a *registry.Agent) {
				a.Flags, a.RunTime = nil, time.Hour/2
				for _, kind := range kinds {
					a.Flags = a.Flags.With(kind.Flag())
				}
			})
		}); err != nil {
			t.Fatal(err)
		}
	}
	flagged(registry.FlagViolationLimit)
	if _, err := below.Message(t.Context(), "AGT-001", "try again"); !errors.Is(err, nobody) {
		t.Errorf("a message: %v", err)
	}
	for _, kind := range []registry.FlagKind{registry.FlagViolationLimit, registry.FlagTimeout} {
		flagged(kind)
		if _, err := below.Retry(t.Context(), "AGT-001"); !errors.Is(err, nobody) {
			t.Errorf("retry of %q: %v", kind, err)
		}
	}
	flagged()
	if a, err := below.Retry(t.Context(), "AGT-001"); err != nil || a.RunTime != time.Hour/2 {
		t.Errorf("retry: %s, %v", a.RunTime, err)
	}
	d.reaches("AGT-001", registry.Failed)
	flagged(registry.FlagViolationLimit)
	if a, err := d.Retry(t.Context(), "AGT-001"); err != nil || a.RunTime != 0 {
		t.Errorf("retry by a person: %s, %v", a.RunTime, err)
	}
}

// TestHistoryIsEvidence holds that an agent that only wrote down what it learned did not fail in silence.
func TestHistoryIsEvidence(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "sleep 0.1; echo learned > $DELEGATE_AGENT_DIR/history.md", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Complete)
}

// TestConflictRows holds that a clash is recorded once, waits for the person, and is closed when
// the work no longer has it.
func TestConflictRows(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP", "")
	d.begin(2)
	d.reaches("AGT-001", registry.Running)
	d.reaches("AGT-002", registry.Running)
	ctx := context.Background()
	record := func(found ...conflict.Finding) {
		t.Helper()
		s := snapshot{p: d.Project, state: d.state()}
		if err := s.recordConflicts(ctx, found); err != nil {
			t.Fatal(err)
		}
	}
	clashing := conflict.Finding{Type: conflict.FileConflict, Severity: conflict.Error, Blocking: true,
		Agents:  []string{"AGT-001", "AGT-002"},
		Message: "both change line 3", Places: []conflict.Place{{Agent: "AGT-001", Path: "a.go", Line: 3}}}
	moved := clashing
	moved.Message = "both change line 5"
	clean := conflict.Finding{Type: conflict.FileConflict, Severity: conflict.Warning,
		Agents: []string{"AGT-001", "AGT-002"}, Message: "git merges it"}
	suspected := conflict.Finding{Type: conflict.APIConflict, Severity: conflict.Warning,
		Agents: []string{"target", "AGT-002"}, Message: "calls what is gone",
		Places: []conflict.Place{{Path: "b.go", Symbol: "F"}}}
	count := func(want string) {
		t.Helper()
		var got []string
		for _, p := range status.Conflicts(d.Project, d.state()) {
			got = append(got, p.Agent+" "+p.Key)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("open: %q, want %s", got, want)
		}
	}
	record(clashing, clean)
	record(moved)
	count("AGT-001 AGT-001 × AGT-002 FILE_CONFLICT a.go")
	record(clashing, suspected)
	count("AGT-001 AGT-001 × AGT-002 FILE_CONFLICT a.go, AGT-002 target × AGT-002 API_CONFLICT b.go F")
	record(suspected)
	count("AGT-002 target × AGT-002 API_CONFLICT b.go F")
	record(clashing, suspected)
	if rows := d.events("AGT-001", registry.EventConflict); len(rows) != 2 {
		t.Errorf("rows %q", rows)
	}
	d.touch("go")
	d.reaches("AGT-001", registry.Checkpoint)
	d.reaches("AGT-002", registry.Checkpoint)
	// What goes with an agent that was aborted is not resolved.
	if _, err := d.Abort(ctx, "AGT-002", ""); err != nil {
		t.Fatal(err)
	}
	record()
	state := d.state()
	got := registry.CountConflicts(state.Events, state.Agents)
	if want := "3 found, 1 resolved, 2 gone with an aborted agent"; got.String() != want {
		t.Errorf("counted %s, want %s", got, want)
	}
}

// TestNotified holds that the configured command is told of each event that needs a person, once, whatever supervisors
// die.
func TestNotified(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t,
		"while [ $DELEGATE_AGENT = AGT-002 -a ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP",
		"notify: [sh, -c, 'cat >> ../told; echo >> ../told']\n")
	d.begin(2)
	d.reaches("AGT-001", registry.Checkpoint)
	d.kill()
	d.launch()
	d.touch("go")
	d.reaches("AGT-002", registry.Checkpoint)
	notified := func() int {
		data, _ := os.ReadFile(filepath.Join(d.root, "told"))
		return strings.Count(string(data), `"event":"CHECKPOINT"`)
	}
	d.until("the second event", func() bool { return notified() >= 1 })
	d.kill()
	d.launch()
	if _, err := d.Message(context.Background(), "AGT-001", "x"); err != nil {
		t.Fatal(err)
	}
	d.until("the state file", func() bool {
		data, _ := os.ReadFile(session.StateFile(d.Project, d.state().Session.ID))
		return strings.Contains(string(data), "queued: x")
	})
	if n := notified(); n > 2 {
		t.Errorf("told %d times of two events", n)
	}
}

// TestOrdersWhereFenced holds that what no agent can have written is obeyed at once.
func TestOrdersWhereFenced(t *testing.T) {
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Fenced() {
		t.Skip("no layer of the kernel here: ", s.Fault)
	}
	d := newDelegation(t, "sleep 300", "max_parallel_agents: 1\n")
	d.begin(2)
	d.reaches("AGT-001", registry.Running)
	sessionID := d.state().Session.ID
	if err := os.MkdirAll(d.Logs(sessionID), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := session.AppendLine(session.CommandsFile(d.Project, sessionID),
		"[2026-01-02 15:04] [ABORT] AGT-002\n"); err != nil {
		t.Fatal(err)
	}
	d.reaches("AGT-002", registry.Aborted)
	d.abortSession()
}

// TestComparedHeads holds that work that rests counts as compared where a person edited it after its turn: what was
// looked at is then a commit that is nobody's head.
func TestComparedHeads(t *testing.T) {
	s := snapshot{state: registry.State{Agents: []registry.Agent{
		{ID: "AGT-001", Status: registry.Complete, Head: "recorded"},
		{ID: "AGT-002", Status: registry.Running, Head: "before"}}}}
	got := s.restingAt(session.Compared{"AGT-001": "edited", "AGT-002": "under way", "target": "tip"})
	want := session.Compared{"AGT-001": "recorded", "AGT-002": "under way", "target": "tip"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
