package dialect

import (
	"testing"
	"time"
)

// TestNotes holds what programs write down of what they use up and wait for: codex the sum, gemini each answer, which
// counts once, and qwen each question to its model that failed.
func TestNotes(t *testing.T) {
	limit := `{"timestamp":"2026-11-25T14:04:35.307Z","type":"system","subtype":"ui_telemetry","systemPayload":` +
		`{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"429 Rate limit reached. Please try again."}}}`
	answer := `{"id":"98f","timestamp":"2026-11-25T14:03:18.757Z","type":"gemini","content":"","tokens":` +
		`{"input":100,"output":20,"cached":40,"thoughts":0,"tool":0,"total":120},"model":"m"}`
	spent := `{"type":"session.usage_record","timestamp":"2026-11-25T14:13:18Z","data":{"usage":{"model":"m",` +
		`"inputTokens":100,"outputTokens":20,"cacheReadTokens":40,"cost":0.0}}}`
	for name, c := range map[string]struct {
		lines []string
		want  Event
	}{
		"codex": {[]string{`{"timestamp":"2026-11-25T14:02:17.259Z","type":"event_msg","payload":{"type":"token_count",` +
			`"info":{"total_token_usage":{"input_tokens":300,"cached_input_tokens":120,"output_tokens":60}}}}`,
			`{"timestamp":"2026-11-25T14:02:18Z","type":"event_msg","payload":{"type":"agent_message"}}`},
			Event{Kind: Used, Usage: Usage{Input: 300, Output: 60, Cached: 120, Whole: true}}},
		"codex, at once": {[]string{`{"timestamp":"2026-11-26T15:09:22.737Z","type":"token_usage_record","payload":{` +
			`"usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":20},"thread_token_usage":` +
			`{"input_tokens":300,"cached_input_tokens":120,"output_tokens":60}}}`},
			Event{Kind: Used, Usage: Usage{Input: 300, Output: 60, Cached: 120, Whole: true}}},
		"gemini": {[]string{answer, `{"$set":{"lastUpdated":"2026-11-25T14:03:18.759Z"}}`, answer},
			Event{Kind: Used, Usage: Usage{Input: 100, Output: 20, Cached: 40, Whole: true}}},
		"copilot": {[]string{spent, spent},
			Event{Kind: Used, Usage: Usage{Input: 200, Output: 40, Cached: 80, Whole: true}}},
		"qwen": {[]string{limit}, Event{Kind: Limited, Text: "429 Rate limit reached. Please try again.",
			Fault: ProviderLimit}},
	} {
		var n Notes
		var last Event
		var when time.Time
		for _, line := range c.lines {
			if found, at := n.Read([]byte(line)); len(found) > 0 {
				last, when = found[0], at
			}
		}
		if last != c.want || when.IsZero() {
			t.Errorf("%s: %+v of %s, want %+v", name, last, when, c.want)
		}
	}
}
