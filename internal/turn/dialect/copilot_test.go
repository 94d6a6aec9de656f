package dialect

import "testing"

// TestCopilotUsage holds that the report of copilot is of the whole conversation and of all models, and that our own
// form is not taken for it.
func TestCopilotUsage(t *testing.T) {
	got, known := CopilotUsage([]byte(`{"totalUserRequests": 2, "modelMetrics": {
		"one": {"usage": {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 40, "cacheWriteTokens": 0}},
		"two": {"usage": {"inputTokens": 10, "outputTokens": 5}}}}`))
	if want := (Usage{Input: 110, Output: 25, Cached: 40, Whole: true}); !known || got != want {
		t.Errorf("got %+v, %t, want %+v", got, known, want)
	}
	for _, other := range []string{`{"input_tokens": 1200, "output_tokens": 300}`, `{"modelMetrics": 1}`, `[`, ``} {
		if got, known := CopilotUsage([]byte(other)); known {
			t.Errorf("%q is read as %+v", other, got)
		}
	}
}

// TestCopilotSession holds that the conversation that copilot was given is known as soon as it works in it, also of a
// turn that is stopped, and that none is where it was given none.
func TestCopilotSession(t *testing.T) {
	for _, given := range []string{"", "the-one"} {
		d := Decoder{Given: given}
		if got := summarize(d.Feed([]byte(`{"type":"session.info","data":{"message":"x"}}` + "\n"))).session; got != "" {
			t.Errorf("before it works in one it is in %q", got)
		}
		if got := summarize(d.Feed([]byte(`{"type":"assistant.turn_start","data":{"turnId":"0"}}` + "\n"))).session; got != given {
			t.Errorf("it is in %q, want %q", got, given)
		}
	}
}

// TestPiTriesAgain holds that an answer that failed is no end while pi asks again, and is one where nothing follows.
func TestPiTriesAgain(t *testing.T) {
	failed := `{"type":"turn_start"}
{"type":"message_end","message":{"role":"assistant","content":[],"model":"m","stopReason":"error","errorMessage":"401 no"}}
{"type":"agent_end","messages":[]}
`
	well := `{"type":"turn_start"}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}
{"type":"agent_end","messages":[]}
`
	for name, c := range map[string]struct {
		text          string
		failed, ended int
	}{"given up": {failed, 1, 0}, "asked again": {failed + well, 0, 1}, "well": {well, 0, 1}} {
		got := summarize(decodeAll([]byte(c.text), 16))
		if got.failed != c.failed || got.ended != c.ended {
			t.Errorf("%s: %s", name, got)
		}
	}
}
