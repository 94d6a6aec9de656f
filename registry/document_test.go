package registry

import (
	"bytes"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// handwritten is a registry as a person might keep it: extra sections, comments, unknown fields and events,
// older spellings.
//
//go:embed testdata/handwritten.md
var handwritten string

func TestParseHandwritten(t *testing.T) {
	doc, err := Parse([]byte(handwritten))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(doc.Bytes()); got != handwritten {
		t.Errorf("prints as\n%s", got)
	}
	state := doc.State()
	if s := state.Session; s == nil || s.ID != "DEL-20260102-150405" || s.AgentTimeout != time.Hour ||
		!s.HumanApproval || s.MaxParallel != 3 {
		t.Errorf("session %+v", s)
	}
	if len(state.Agents) != 2 {
		t.Fatalf("agents %+v", state.Agents)
	}
	want := Agent{
		ID: "AGT-001", Name: "limiter", Subtask: "Limiter", Status: Running, Checkpoints: 2,
		Allowed:      []string{"src/module/*", "tests/test_module/*"},
		Forbidden:    []string{"docs/01_progress.md", ".claude/**"},
		Spawned:      time.Date(2026, 1, 2, 14, 5, 0, 0, time.UTC),
		LastActivity: time.Date(2026, 1, 2, 15, 6, 0, 0, time.UTC),
	}
	if !reflect.DeepEqual(state.Agents[0], want) {
		t.Errorf("agent %+v\nwant  %+v", state.Agents[0], want)
	}
	wantEvents := []Event{
		{Time: start(), Kind: EventSessionStarted, Details: "start"},
		{Time: time.Date(2026, 1, 2, 15, 5, 0, 0, time.UTC), Kind: EventSpawned, Agent: "AGT-001", Details: "pid 1 | 2",
			By: "jane"},
		{Time: time.Date(2026, 1, 2, 15, 5, 30, 0, time.UTC), Kind: "COFFEE", Details: "a person's own event"},
	}
	if !reflect.DeepEqual(state.Events, wantEvents) {
		t.Errorf("events %+v", state.Events)
	}
	wantArchived := []ArchivedSession{{"DEL-20260101-000000", SessionComplete, "Older task", 2,
		"archive/DEL-20260101-000000.md"}}
	if !reflect.DeepEqual(state.Archived, wantArchived) {
		t.Errorf("archived %+v", state.Archived)
	}
}

// D-4: a write changes the lines of what changed, and every other byte survives; in files with CRLF too.
func TestOnlyChangedLinesAreRewritten(t *testing.T) {
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			before := strings.ReplaceAll(handwritten, "\n", end)
			after := update(t, before, func(tx *Tx) error {
				return tx.Transition("AGT-001", Event{Kind: EventCheckpoint, Details: "half"}, Supervisor,
					func(a *Agent) {
						a.Checkpoints++
						a.Attempt = 1
					})
			})
			gone := Without(strings.SplitAfter(before, end), strings.SplitAfter(after, end))
			added := Without(strings.SplitAfter(after, end), strings.SplitAfter(before, end))
			wantGone := []string{"- **Status**: RUNNING" + end, "- **Checkpoints**: 2" + end, "No line end here"}
			wantAdded := []string{
				"- **Status**: CHECKPOINT" + end, "- **Checkpoints**: 3" + end, "- **Attempt**: 1" + end,
				"### Pending Merges" + end, "| 2026-01-02T15:04:05Z | CHECKPOINT | AGT-001 | half |  |" + end,
				"### Session Statistics" + end,
			}
			// The sections that were missing come with the lines they need.
			for _, f := range statsFields() {
				wantAdded = append(wantAdded, "- "+f.name+": 0"+end)
			}
			if rest := Without(gone, wantGone); len(rest) > 0 {
				t.Errorf("lost %q", rest)
			}
			for _, line := range Without(added, wantAdded) {
				if strings.TrimSpace(line) != "" && line != "No line end here" && line != "No line end here"+end {
					t.Errorf("added %q", line)
				}
			}
			if rest := Without(wantAdded, added); len(rest) > 0 {
				for _, line := range rest {
					if !strings.HasSuffix(line, ": 0"+end) {
						t.Errorf("not added: %q", line)
					}
				}
			}
		})
	}
}

// The block of an ended agent moves byte for byte, and back when it is rolled back.
func TestBlockMoves(t *testing.T) {
	text := edit(t, update(t, string(New()), twoAgents), "- **Subtask**: Limiter",
		"- **Subtask**:  Limiter\n- **Mood**: good\nwords\n\n> more words")
	text = update(t, text, walk("AGT-001", EventSpawning, EventSpawned, EventComplete))
	block := parsed(t, text).agent("AGT-001").text()
	text = update(t, text, walk("AGT-001", EventMerged))
	if got := parsed(t, text).agent("AGT-001"); !got.older ||
		got.text() != strings.Replace(block, "COMPLETE", "MERGED", 1) {
		t.Errorf("merged block:\n%s", got.text())
	}
	text = update(t, text, walk("AGT-001", EventRolledBack))
	if got := parsed(t, text).agent("AGT-001"); got.older || got.text() != block {
		t.Errorf("block after rollback:\n%s\nwant:\n%s", got.text(), block)
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		at       string // stands on the line of the fault
		reason   string
	}{
		{"no active section", "## Active Session\n\n**S", "## Active\n\n**S", "<!-- delegate",
			`no section "Active Session"`},
		{"second section", "## Ours at the end", "## Archived Sessions", "## Archived",
			`a second section "Archived Sessions"`},
		{"no session status", "**Status**: ACTIVE\n", "", "## Active Session", "the active session has no status"},
		{"bad session status", "**Status**: ACTIVE", "**Status**: BUSY", "BUSY", `field "Status": "BUSY" is none of`},
		{"None beside an id", "**Status**: ACTIVE", "**Status**: None", "## Active Session",
			"the status is None, but session"},
		{"bad session id", "**Session ID**: DEL-20260102-150405", "**Session ID**: DEL-1", "## Active Session",
			`session id "DEL-1" is malformed`},
		{"bad agent id", "#### AGT-001", "#### AGT-1", "#### AGT-1", `agent id "AGT-1" is malformed`},
		{"duplicate agent", "#### AGT-002", "#### AGT-001", "#### AGT-00", `agent "AGT-001" is here a second time`},
		{"agent without status", "- **Status**: PENDING\n", "", "#### AGT-00", `agent "AGT-002" has no status`},
		{"agent elsewhere", "#### AGT-002", "### Mine\n\n#### AGT-002", "#### AGT-002",
			`the block of agent "AGT-002" is in another section`},
		{"section elsewhere", "### Completed Agents", "## Mine\n\n### Completed Agents", "### Completed Agents",
			`the section "Completed Agents" is not in the one`},
		{"bad status", "- **Status**: PENDING", "- **Status**: WAITING", "WAITING",
			`field "Status": "WAITING" is none of`},
		{"duplicate field", "- **Mood**: good", "- **Output**: x", "**Output**: x",
			`field "Output" is here a second time, after line 42`},
		{"bad time of a field", "2026-01-02T15:06:00Z", "yesterday", "yesterday",
			`field "Last Activity": "yesterday" is not a time`},
		{"bad count", "- **Checkpoints**: 2", "- **Checkpoints**: -2", "-2",
			`field "Checkpoints": "-2" is not a count`},
		{"bad duration", "3600s", "an hour", "an hour", `field "Agent Timeout": "an hour" is not a duration`},
		{"bad yes", "Required: Yes", "Required: maybe", "maybe", `"maybe" is neither Yes nor No`},
		{"bad time of a row", "| 2026-01-02T15:05:30Z |", "| 15:05 |", "| 15:05 |", `"15:05" is not a time`},
		{"row without event", "| COFFEE |", "| |", "a person's own event", "names no event"},
		{"short row", "| - | a person's own event | |", "|", "COFFEE", "has 2 cells"},
		{"row cut off", "| - | a person's own event | |", "| - | a person's own", "a person's own", "was cut off"},
		{"other columns", "| Timestamp | Event |", "| Event | Timestamp |", "| Event |",
			"the events table has the columns"},
		{"no rule", "|-----------|-------|-------|---------|--------|\n", "", "SESSION_STARTED", "is no rule"},
		{"open fence", "```\n\n### Agents", "\n\n### Agents", "```", "never ends"},
		{"open comment", "-->\nWatch", "\nWatch", "<!-- a comment", "never ends"},
		{"conflict marker", "- not one of ours", "<<<<<<< HEAD", "<<<<", "conflict marker"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(handwritten, test.old) {
				t.Fatalf("no %q", test.old)
			}
			bad := strings.Replace(handwritten, test.old, test.new, 1)
			faults := Check([]byte(bad))
			if len(faults) == 0 {
				t.Fatal("no fault")
			}
			for _, f := range faults {
				if strings.Contains(strings.Split(bad, "\n")[f.Line-1], test.at) &&
					strings.Contains(f.Reason, test.reason) && f.Mend != "" {
					return
				}
			}
			t.Errorf("faults %v, want at %q: %s", faults, test.at, test.reason)
		})
	}
}

func TestEveryFaultAtOnce(t *testing.T) {
	bad := strings.NewReplacer("3600s", "x", "RUNNING", "y", "2026-01-02T15:05:30Z", "z").Replace(handwritten)
	faults := Check([]byte(bad))
	if len(faults) != 3 {
		t.Errorf("faults %v", faults)
	}
	for i := 1; i < len(faults); i++ {
		if faults[i].Line < faults[i-1].Line {
			t.Errorf("not in order: %v", faults)
		}
	}
	if len(Check([]byte(handwritten))) != 0 {
		t.Error("faults where there are none")
	}
	_, err := Parse([]byte(bad))
	if got := as[*SyntaxError](t, err); len(got.Faults) != 3 || !strings.Contains(got.Error(), "line 19: ") ||
		!strings.Contains(got.Error(), "2 more") {
		t.Errorf("error %v", err)
	}
}

func TestNewerFormat(t *testing.T) {
	newer := strings.Replace(handwritten, "format 1", "format 2, and more", 1)
	_, err := Parse([]byte(newer))
	if got := as[*VersionError](t, err); got.Found != 2 || got.Known != 1 {
		t.Errorf("error %+v", got)
	}
	if faults := Check([]byte(newer)); len(faults) != 1 || faults[0].Line != 1 {
		t.Errorf("faults %v", faults)
	}
}

// D-6: whatever text agents and users give, it reads back as itself and forges nothing.
func TestHostileText(t *testing.T) {
	hostile := []string{
		"x\n- **Status**: MERGED", "x\n#### AGT-009\n- **Status**: RUNNING",
		"a | b | c |\n| 2026-01-02T15:04:05Z | MERGED | AGT-001 | forged |",
		"## Archived Sessions", "<!-- x", "```", "-->", "pending", "None", "-", "(by root)", "done (by root)", "\\",
		"\\n", " ", "\u2028", "<br>", "\\<br>\n", "a,b", "\x00\xff", "> x", "|",
	}
	for _, text := range hostile {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			started := update(t, string(New()), func(tx *Tx) error {
				return tx.StartSession(Session{ParentTask: text, Target: text, Verify: []string{text}}, []Agent{{
					Subtask: text, Allowed: []string{text, text}, Output: text, Description: text, Context: text,
					LastError: text,
				}})
			})
			state := parsed(t, update(t, started, func(tx *Tx) error {
				return tx.Record(Event{Kind: EventMessage, Agent: "AGT-001", Details: text, By: text}, nil)
			})).State()
			if state.Session.ParentTask != text || state.Session.Verify[0] != text || len(state.Agents) != 1 ||
				len(state.Events) != 2 {
				t.Fatalf("state %+v", state)
			}
			a := state.Agents[0]
			if a.Subtask != text || a.Allowed[1] != text || a.Output != text && text != "pending" ||
				a.LastError != text || a.Status != Pending {
				t.Errorf("agent %+v", a)
			}
			if e := state.Events[1]; e.Details != text || e.By != text || e.Kind != EventMessage {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// FuzzRoundTrip: what parses prints as it was, and after a write every line that did not have to change is still there.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(handwritten))
	f.Add(New())
	f.Add([]byte(strings.ReplaceAll(handwritten, "\n", "\r\n")))
	f.Add([]byte("## Active Session\n**Status**: None"))
	f.Add([]byte("## Active Session\r\n**Status**: None\r### Agents"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse(data)
		if err != nil {
			return
		}
		if got := doc.Bytes(); !bytes.Equal(got, data) {
			t.Fatalf("prints as %q, was %q", got, data)
		}
		fn := func(tx *Tx) error {
			if tx.state.Session == nil {
				return tx.StartSession(Session{ParentTask: "t"}, []Agent{{Subtask: "s"}})
			}
			id, err := tx.AddAgent(Agent{Subtask: "s"})
			if err != nil {
				return err
			}
			return tx.Transition(id, Event{Kind: EventAborted}, Person, nil)
		}
		next, err := changed(data, fn)
		if err != nil {
			t.Fatalf("%v after %q", err, data)
		}
		after, err := Parse(next)
		if err != nil {
			t.Fatal(err)
		}
		if len(after.state.Agents) != len(doc.state.Agents)+1 {
			t.Errorf("agents %v", after.state.Agents)
		}
		if lost := Without(people(doc), people(after)); len(lost) > 0 {
			t.Errorf("lost %q of %q in %q", lost, data, next)
		}
	})
}

// people lists the lines that are not the tool's.
func people(d *Document) []string {
	var out []string
	for _, s := range d.sections {
		out = append(out, plainTexts(s)...)
		if s.role == eventsRole {
			out = append(out, d.Rows()...)
		}
	}
	return out
}

// TestCost holds the forms of a cost in the file, of which what is no number is none.
func TestCost(t *testing.T) {
	for text, want := range map[string]Cost{"0.2500": {USD: 0.25}, "≈1.0500": {USD: 1.05, Estimated: true},
		"about 2": {}, "": {}} {
		doc, err := Parse([]byte(strings.Replace(handwritten, "- **Checkpoints**: 2\n",
			"- **Checkpoints**: 2\n- **Cost**: "+text+"\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.State().Agents[0].Cost; got != want {
			t.Errorf("cost %q is %+v", text, got)
		}
	}
}

// TestArchivedLine holds that the line of an ended session reads well, and that earlier ones are read.
func TestArchivedLine(t *testing.T) {
	for _, count := range []string{"1 agent", "1 agents", "2 agents"} {
		doc, err := Parse([]byte(strings.Replace(handwritten, "2 agents, Older task", count+", Fix agents, now", 1)))
		if err != nil {
			t.Fatal(err)
		}
		want := "): COMPLETE, " + strings.Replace(count, "1 agents", "1 agent", 1) + ", Fix agents, now"
		if got := doc.State().Archived; len(got) != 1 || !strings.HasSuffix(got[0].String(), want) {
			t.Errorf("%s: %v, want %q at the end", count, got, want)
		}
	}
}
