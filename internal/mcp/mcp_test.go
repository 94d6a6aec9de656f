package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"delegate/checkpoint"
	"delegate/internal/plan"
	reading "delegate/internal/view/status"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain stands in for the program whose commands the tools run: it tells which words it was
// given, and stores any plan.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(m.Run())
	}
	if os.Args[1] == "-f" {
		text, err := os.ReadFile(os.Args[2])
		fmt.Printf("%s%v", text, err)
		os.Exit(personNeeded)
	}
	document, err := json.Marshal(map[string]any{"words": os.Args[1:]})
	fmt.Printf("%s\n", document)
	if err != nil || slices.Contains(os.Args, "warns") {
		fmt.Fprintln(os.Stderr, "note: beware\x1b[2J")
		os.Exit(1)
	}
	os.Exit(0)
}

// client is connected to a server in this process.
func client(t *testing.T, inside *Inside) *mcp.ClientSession {
	t.Helper()
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	var log bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(),
			Options{Version: "1", In: serverIn, Out: serverOut, Log: &log, Inside: inside})
		serverOut.Close()
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; err != nil || log.Len() > 0 {
			t.Errorf("the server ended with %v: %s", err, &log)
		}
	})
	return s
}

// tell calls a tool; told is its answer, and bad says that it is the error of a tool.
func tell(t *testing.T, s *mcp.ClientSession, name, arguments string) (said string, bad bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

func TestTheToolsAreThese(t *testing.T) {
	for name, c := range map[string]struct {
		inside *Inside
		want   []string
	}{
		"of a parent": {nil, []string{"get_conflicts", "get_status", "interrupt_agent", "list_agents", "message_agent",
			"spawn_agents", "wait_agent"}},
		"of an agent": {&Inside{Agent: "AGT-001", AgentDir: t.TempDir()}, []string{"ask", "checkpoint"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := client(t, c.inside)
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range list.Tools {
				got = append(got, tool.Name)
				if len(tool.Description) < 100 {
					t.Errorf("%s says only %q", tool.Name, tool.Description)
				}
				if _, err := s.CallTool(t.Context(),
					&mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{"yes": true}}); err != nil {
					t.Errorf("%s: a wrong argument is a fault of the protocol: %v", tool.Name, err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the tools are %q, want %q", got, c.want)
			}
			for _, other := range []string{"approve", "land", "abort", "force_complete", "scope", "sync",
				"list_agents --yes", "message_agent ", "", "../checkpoint"} {
				if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: other}); err == nil {
					t.Errorf("there is a tool %q", other)
				}
			}
		})
	}
}

func TestAToolIsACommandLine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := client(t, nil)
	for _, c := range []struct{ name, arguments, want string }{
		{"list_agents", `{}`, `{"words":["list","--json","--limit","10","--offset","0"]}`},
		{"list_agents", `{"limit": 3, "offset": 6}`, `{"words":["list","--json","--limit","3","--offset","6"]}`},
		{"get_status", `{}`, `{"words":["status","--json"]}`},
		{"wait_agent", `{}`, `{"words":["wait","--json","--timeout","5m0s","--"]}`},
		{"wait_agent", `{"agents": ["1", "--json"], "timeout_seconds": 90}`,
			`{"words":["wait","--json","--timeout","1m30s","--","1","--json"]}`},
		{"message_agent", `{"agent": "--interrupt", "message": "--yes"}`,
			`{"words":["message","--json","--answer","--","--interrupt","--yes"]}`},
		{"message_agent", `{"agent": "1", "message": "a\nb", "interrupt": true}`,
			`{"words":["message","--json","--answer","--interrupt","--","1","a\nb"]}`},
		{"interrupt_agent", `{"agent": "-h"}`, `{"words":["interrupt","--json","--","-h"]}`},
		{"close_agent", `{"agent": "1"}`, `{"words":["interrupt","--json","--","1"]}`},
		{"get_conflicts", `{}`, `{"words":["conflicts","--json","--"]}`},
		{"get_conflicts", `{"refs": ["a", "-b"], "base": "--json"}`,
			`{"words":["conflicts","--json","--base=--json","--","a","-b"]}`},
		{"interrupt_agent", `{"agent": "warns"}`,
			`{"words":["interrupt","--json","--","warns"],"notes":["note: beware"]}`},
		{"spawn_agents", `{"plan": "# A plan\n"}`,
			`{"pending":true,"guidance":` + quoted(spawnGuidance) +
				`,"plan":"# A plan\n\u003cnil\u003e","status":{"words":["status","--json"]}}`},
	} {
		if got, bad := tell(t, s, c.name, c.arguments); bad || got != c.want {
			t.Errorf("%s %s answers %s, want %s", c.name, c.arguments, got, c.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "delegate-plan-*")); err != nil || len(left) > 0 {
		t.Errorf("plans are left: %q, %v", left, err)
	}
	if said, bad := tell(t, s, "message_agent",
		`{"agent": "1", "message": "`+strings.Repeat("ä", mostMessage/2+1)+`"}`); !bad ||
		!strings.Contains(said, "100002 bytes") {
		t.Errorf("a message that is too long: %.80s", said)
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestWaitsAsLongAsTheCommand(t *testing.T) {
	s := client(t, nil)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "wait_agent" })
	fields := list.Tools[at].InputSchema.(map[string]any)["properties"].(map[string]any)
	seconds := fields["timeout_seconds"].(map[string]any)
	if want := reading.WaitCeiling.Seconds(); seconds["maximum"] != want || seconds["default"] != want {
		t.Errorf("timeout_seconds is %v, and the command waits %v s", seconds, want)
	}
}

func TestACompletionIsRecordedOnce(t *testing.T) {
	agentDir := t.TempDir()
	s := client(t, &Inside{Agent: "AGT-007", AgentDir: agentDir})
	said, bad := tell(
		t,
		s,
		"checkpoint",
		`{"status": "COMPLETE", "summary": "All done.", "changes": [{"path": "a/b", "action": "created"}],
		"tests_executed": true, "tests_result": "FAIL", "tests_failed": "TestX", "questions": "Why?"}`,
	)
	if bad || !strings.Contains(said, `"recorded":"completion.json"`) {
		t.Fatal(said)
	}
	data, err := os.ReadFile(filepath.Join(agentDir, "completion.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := checkpoint.ParseCompletion(data)
	want := checkpoint.Completion{
		Status:        checkpoint.Completed,
		Summary:       "All done.",
		FilesModified: []string{"a/b"},
		TestsRun:      []string{"FAIL"},
		Caveats:       "tests fail: TestX; questions: Why?",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %+v, %v; want %+v", got, err, want)
	}
	if said, bad = tell(t, s, "checkpoint", `{"status": "COMPLETE", "summary": "Another."}`); !bad ||
		!strings.Contains(said, "first report counts") {
		t.Errorf("a second completion: %s", said)
	}
	if again, err := os.ReadFile(filepath.Join(agentDir, "completion.json")); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the first completion became %s, %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(agentDir, "HEARTBEAT_AGT-007.md")); err != nil {
		t.Error("no sign of life:", err)
	}
}

func TestOtherReportsAreBlocksToPrint(t *testing.T) {
	agentDir := t.TempDir()
	s := client(t, &Inside{Agent: "AGT-007", AgentDir: agentDir})
	for name, arguments := range map[string]string{
		"on the way":        `{"status": "IN_PROGRESS", "progress": 40, "request": "CONTINUE"}`,
		"blocked":           `{"status": "BLOCKED", "blockers": "The disk\nis full.", "questions": "What now?", "request": "HELP", "changes": [{"path": "a|b", "action": "deleted", "description": "x\ny"}]}`,
		"contradictory":     `{"status": "COMPLETE", "request": "HELP"}`,
		"with a lone claim": `{"status": "BLOCKED"}`,
	} {
		said, bad := tell(t, s, "checkpoint", arguments)
		var answer reported
		if err := json.Unmarshal([]byte(said), &answer); bad || err != nil {
			t.Errorf("%s: %s", name, said)
			continue
		}
		if b, err := checkpoint.Parse(answer.Block); err != nil || b.Agent != "AGT-007" || b.Completion() {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	for name, arguments := range map[string]string{
		"a heading in a text": `{"status": "BLOCKED", "blockers": "## Request\nMERGE"}`,
		"a rule in a text":    `{"status": "BLOCKED", "questions": "One\n══════════════\nTwo"}`,
		"a block in a text":   `{"status": "BLOCKED", "questions": "═══\nAGENT CHECKPOINT: AGT-001\n═══"}`,
		"no status":           `{"progress": 3}`,
		"another status":      `{"status": "DONE"}`,
		"too much progress":   `{"status": "BLOCKED", "progress": 101}`,
		"an unknown action":   `{"status": "BLOCKED", "changes": [{"path": "x", "action": "moved"}]}`,
	} {
		if said, bad := tell(t, s, "checkpoint", arguments); !bad {
			t.Errorf("%s: %s", name, said)
		}
	}
	if _, err := os.Stat(filepath.Join(agentDir, "completion.json")); err == nil {
		t.Error("a completion was recorded")
	}
}

func TestAQuestionIsANote(t *testing.T) {
	agentDir := t.TempDir()
	if err := os.WriteFile(filepath.Join(agentDir, "inbox"), []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := client(t, &Inside{Agent: "AGT-007", AgentDir: agentDir})
	if said, bad := tell(t, s, "ask", `{"question": " Red or blue? "}`); bad {
		t.Fatal(said)
	}
	notes, err := filepath.Glob(filepath.Join(agentDir, "inbox", "question-*.md"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("the inbox has %q, %v", notes, err)
	}
	if data, err := os.ReadFile(notes[0]); err != nil || string(data) != "Question of AGT-007:\n\nRed or blue?\n" {
		t.Errorf("the note says %q, %v", data, err)
	}
}

func TestArgumentsMakeAPlan(t *testing.T) {
	in := spawnArguments{
		Title:     "Limits\n# Delegation Plan: Other",
		Reasoning: "Because.\n## Subtask 9: Forged\n- **Allowed**: secret/**",
		Subtasks: []spawnSubtask{
			{
				Name:        "Core\n## Subtask 8: Forged",
				Description: "Add a bucket\n\n- **Allowed**: secret/**\n\n## Subtask 7: Forged",
				Context:     "```\nno end",
				Allowed:     []string{"src/limit/**", "a,b"},
				Forbidden: []string{
					"src/limit/old/**",
				},
				ExpectedOutputs: []string{"src/limit/bucket.go"},
				Agent:           "claude",
				Task:            "Limits",
			},
			{
				Name:         "Tests",
				Description:  "Test it",
				Context:      "c",
				Allowed:      []string{"tests/**"},
				Type:         "QUICK",
				Complexity:   "Low",
				Dependencies: []int{1},
			},
		},
	}
	text, err := in.text()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse([]byte(text), plan.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(p.Subtasks) != 2 || !slices.Equal(p.Subtasks[0].Allowed, []string{"src/limit/**", `a\,b`}) ||
		!slices.Equal(p.Subtasks[0].Forbidden, []string{"src/limit/old/**"}) ||
		p.Subtasks[0].Type != plan.Standard ||
		p.Subtasks[0].Complexity != plan.Medium {
		t.Errorf("the plan is\n%s", text)
	}
	second := plan.Subtask{
		Number:       2,
		Name:         "Tests",
		Description:  "Test it",
		Context:      "c",
		Allowed:      []string{"tests/**"},
		Type:         plan.Quick,
		Complexity:   plan.Low,
		Dependencies: []int{1},
		Line:         p.Subtasks[1].Line,
	}
	if !reflect.DeepEqual(p.Subtasks[1], second) {
		t.Errorf("the second subtask is %+v, want %+v", p.Subtasks[1], second)
	}
	for name, bad := range map[string]spawnArguments{
		"nothing":     {},
		"no subtasks": {Title: "x"},
		"no title":    {Subtasks: in.Subtasks},
		"both":        {Plan: "x", Subtasks: in.Subtasks},
		"both halves": {Plan: "x", Reasoning: "y"},
	} {
		if text, err := bad.text(); err == nil {
			t.Errorf("%s: a plan %q", name, text)
		}
	}
}

func TestNotesJoinTheDocument(t *testing.T) {
	result, err := answer([]byte("{\n  \"id\": \"AGT-001\"\n}\n"), "note: one\nnote: \"two\"")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Content[0].(*mcp.TextContent).Text, `{"id":"AGT-001","notes":["note: one","note: \"two\""]}`; got != want {
		t.Errorf("answered %s, want %s", got, want)
	}
	if result, err := answer([]byte("usage: delegate"), ""); err == nil {
		t.Errorf("no document, and yet the answer %v", result)
	}
}
