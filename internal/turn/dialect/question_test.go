package dialect_test

import (
	"testing"

	"delegate/internal/turn/dialect"
)

// TestQuestions holds that what a program's own tool for asking asks is read with its choices, in each form.
func TestQuestions(t *testing.T) {
	const input = `{"questions":[{"question":"Which form?","options":[{"label":"plain"},{"label":"JSON"}]},` +
		`{"question":"Why?"}]}`
	for name, line := range map[string]string{
		"AskUserQuestion": `{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use",` +
			`"name":"AskUserQuestion","input":` + input + `}]}}`,
		"ask_user": `{"type":"tool_use","tool_name":"ask_user","parameters":` + input + `}`,
		"question": `{"type":"tool_use","sessionID":"s","part":{"tool":"question","state":{"status":"completed",` +
			`"input":` + input + `}}}`,
	} {
		var d dialect.Decoder
		got := ""
		for _, e := range append(d.Feed([]byte(line+"\n")), d.Close()...) {
			if e.Kind == dialect.Tool && e.Tool == name {
				got = e.Text
			}
		}
		if want := "Which form? [plain | JSON] Why?"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestQuestionOfCopilot holds that its one question is read, which has a form of its own.
func TestQuestionOfCopilot(t *testing.T) {
	var d dialect.Decoder
	found := d.Feed([]byte(`{"type":"tool.execution_start","data":{"toolName":"ask_user","arguments":` +
		`{"question":"Which form?","choices":["plain","JSON"]}}}` + "\n"))
	if want := "Which form? [plain | JSON]"; len(found) != 1 || found[0].Text != want {
		t.Errorf("%+v, want %q", found, want)
	}
}
