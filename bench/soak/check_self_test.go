//go:build bench && linux

package soak

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/view/status"
	"delegate/registry"
)

// log is the table of a registry with these rows: event, agent and details of each.
func log(rows ...string) string {
	text := "### Session Events Log\n| Timestamp | Event | Agent | Details |\n|-----------|-------|-------|---------|\n"
	for _, r := range rows {
		kind, rest, _ := strings.Cut(r, " ")
		id, details, _ := strings.Cut(rest, " ")
		text += "| 2026-11-21T07:49:45Z | " + kind + " | " + id + " | " + details + " |\n"
	}
	return text
}

func TestReplay(t *testing.T) {
	spawned := []string{"SPAWNING AGT-001 attempt 1 (by supervisor)",
		"SPAWNED AGT-001 attempt 1, turn 1 (by supervisor)"}
	block := "CHECKPOINT AGT-001 turn 1, line 7: COMPLETE 50% (by AGT-001)"
	complete := "COMPLETE AGT-001 COMPLETE 50% (by supervisor)"
	for name, c := range map[string]struct {
		rows   []string
		status registry.Status
		turns  int
		wrong  int
	}{
		"a whole life":          {append(spawned[:2:2], block, complete), registry.Complete, 1, 0},
		"another agent's rows":  {append(spawned[:2:2], "FAILED AGT-002 x (by supervisor)"), registry.Running, 1, 0},
		"a row is missing":      {append(spawned[:1:1], complete), registry.Spawning, 0, 1},
		"a transition twice":    {append(spawned[:2:2], complete, complete), registry.Complete, 1, 1},
		"a block twice":         {append(spawned[:2:2], block, block), registry.Running, 1, 1},
		"a block after the end": {append(spawned[:2:2], complete, block), registry.Complete, 1, 1},
		"the wrong decider":     {append(spawned[:2:2], "COMPLETE AGT-001 by hand (by Ada)"), registry.Running, 1, 1},
		"a turn by itself": {append(spawned[:2:2], "MESSAGE AGT-001 asked for a correction (by supervisor)"),
			registry.Running, 2, 0},
		"a queued message": {append(spawned[:2:2], "MESSAGE AGT-001 queued: x (by Ada)"), registry.Running, 1, 0},
		"a turn of no agent": {[]string{"MESSAGE AGT-001 asked for a correction (by supervisor)"}, registry.Pending, 1,
			1},
		"more time": {append(spawned[:2:2], "EXTENDED AGT-001 by 1m0s (by Ada)"), registry.Running, 1, 0},
		"respawned": {append(spawned[:2:2], "FAILED AGT-001 silence (by supervisor)",
			"RESPAWNED AGT-001 attempt 2 (by supervisor)", "SPAWNED AGT-001 attempt 2, turn 2 (by supervisor)"),
			registry.Running, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := replay("AGT-001", readRows(log(c.rows...)))
			if l.status != c.status || l.turns != c.turns || len(l.wrong) != c.wrong {
				t.Errorf("leads to %s after %d turns with %q, want %s, %d and %d faults", l.status, l.turns, l.wrong,
					c.status, c.turns, c.wrong)
			}
		})
	}
}

// noteTaker is a session whose one agent left these notes.
func noteTaker(t *testing.T, f fate, notes map[string]string) *session {
	t.Helper()
	s := &session{soak: &soak{count: map[string]int{}}, folder: t.TempDir(), agents: map[string]*fate{"AGT-001": &f}}
	for name, text := range notes {
		path := filepath.Join(s.notes(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestMessages(t *testing.T) {
	const one, two = "soak-message-1", "soak-message-2"
	both := log("MESSAGE AGT-001 queued: "+one+" (by Ada)", "CONTINUED AGT-001 "+two+" (by Ada)")
	for name, c := range map[string]struct {
		sent     []string
		got      string
		queued   int
		faults   int
		doubtful []string
	}{
		"once and in order": {[]string{one, two}, "turn-1 " + one + "\nturn-2 " + two + "\n", 0, 0,
			nil},
		"in one turn": {[]string{one, two}, "turn-2 " + one + "\nturn-2 " + two + "\n", 0, 0,
			nil},
		"the last one waits":    {[]string{one, two}, "turn-1 " + one + "\n", 1, 0, nil},
		"the first one is lost": {[]string{one, two}, "turn-2 " + two + "\n", 0, 1, nil},
		"one came twice": {[]string{one, two},
			"turn-1 " + one + "\nturn-2 " + one + "\nturn-2 " + two + "\n", 0, 1, nil},
		"the other way round": {[]string{one, two}, "turn-1 " + two + "\nturn-2 " + one + "\n", 0, 1,
			nil},
		"a turn that ran twice": {[]string{one, two},
			"turn-1 " + one + "\nturn-1 " + one + "\nturn-2 " + two + "\n", 0, 0, nil},
		"one that was cut short comes": {[]string{one}, "turn-1 " + one + "\nturn-2 " + two + "\n", 0, 0,
			[]string{two}},
		"one that was cut short waits": {[]string{one}, "turn-1 " + one + "\n", 1, 0, []string{two}},
		"one that was cut short comes twice": {[]string{one},
			"turn-1 " + one + "\nturn-1 " + two + "\nturn-2 " + two + "\n", 0, 1, []string{two}},
		"more wait than are missing": {[]string{one, two}, "turn-1 " + one + "\nturn-2 " + two + "\n", 1, 1, nil},
		"one was not sent":           {[]string{one}, "turn-1 " + one + "\nturn-2 " + two + "\n", 0, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := noteTaker(t, fate{sent: c.sent, doubtful: c.doubtful}, map[string]string{"AGT-001.got": c.got})
			s.checkMessages(status.AgentView{ID: "AGT-001", Turns: 2, Queued: c.queued}, readRows(both))
			if len(s.faults) != c.faults {
				t.Errorf("found %q, want %d faults", s.faults, c.faults)
			}
		})
	}
}

func TestMade(t *testing.T) {
	notes := "turn-1 work/a.txt first\nturn-1 work/same.txt one\nturn-1 work/same.txt two\nturn-2 work/same.txt " +
		"three\nturn-2 work/cut.txt half"
	got := noteTaker(t, fate{}, map[string]string{"AGT-001.made": notes}).made("AGT-001")
	want := []made{{"turn-1", "work/a.txt", "first"}, {"turn-1", "work/same.txt", "two"},
		{"turn-2", "work/same.txt", "three"}}
	if join(got) != join(want) {
		t.Errorf("made %v, want %v", got, want)
	}
}

func TestBlobID(t *testing.T) {
	if got, want := blobID("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a"; got != want {
		t.Errorf("%s, want %s as git hash-object prints", got, want)
	}
}

func TestLastMessage(t *testing.T) {
	prompt := "# Subtask: x\n\nYou were told:\n\n> soak-message-1\n\n## Message from your parent\n\nsoak-message-2\n"
	if got := tokens(lastMessage(prompt)); join(got) != "soak-message-2" {
		t.Errorf("the prompt says %v, want only what comes last", got)
	}
	if got := lastMessage("# Subtask: x\n"); got != "" {
		t.Errorf("a prompt without a message says %q", got)
	}
}
