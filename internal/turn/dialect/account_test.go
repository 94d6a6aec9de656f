package dialect

import (
	"testing"
	"time"
)

// TestEmptyAccount holds that an account without money is no limit that passes, whatever its status, and that a limit
// stays one where its words speak of quotas and billing and it names when to try again.
func TestEmptyAccount(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		line    string
		limited bool
		empty   bool
		until   int64
	}{
		{line: `{"type":"turn.failed","error":{"message":"Quota exceeded. Check your plan and billing details."}}`,
			empty: true},
		{line: `{"type":"turn.failed","error":{"message":"429: insufficient_quota"}}`, empty: true},
		{line: `{"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low"}`, empty: true},
		{line: `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429"}}`, limited: true},
		{line: `{"type":"result","timestamp":"x","status":"error","error":{"message":"You exceeded your current quota, ` +
			`please check your plan and billing details. Please retry in 34.5s."}}`, limited: true, until: 1034},
		{line: `{"type":"turn.failed","error":{"message":"Rate limit reached for x. Please try again in 20s."}}`, limited: true,
			until: 1020},
		{line: `{"type":"error","message":"Reconnecting... 1/5 (429 Too Many Requests)"}`, limited: true},
		{line: `{"type":"error","message":"Reconnecting... 1/5 (insufficient_quota)"}`, empty: true},
		{line: `{"type":"turn.failed","error":{"message":"the model is not there"}}`},
	} {
		d := Decoder{Now: func() time.Time { return now }}
		var limited, empty bool
		var until int64
		for _, e := range d.Feed([]byte(c.line + "\n")) {
			limited, empty = limited || e.Kind == Limited, empty || e.Fault == EmptyAccount
			if e.Kind == Limited && !e.Until.IsZero() {
				until = e.Until.Unix()
			}
		}
		if limited != c.limited || empty != c.empty || until != c.until {
			t.Errorf("%s: limited %v until %d, empty %v", c.line, limited, until, empty)
		}
	}
}

// TestUsageWhileATurnRuns holds that what claude tells with each answer is counted once, whatever its parts and end.
func TestUsageWhileATurnRuns(t *testing.T) {
	answer := func(id string) string {
		return `{"type":"assistant","session_id":"s","message":{"id":"` + id + `","content":[],"usage":{` +
			`"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}}` + "\n"
	}
	d := Decoder{}
	used := func(line string) (u Usage) {
		for _, e := range d.Feed([]byte(line)) {
			if e.Kind == Used {
				u = e.Usage
			}
		}
		return u
	}
	for _, c := range []struct {
		line                  string
		input, output, cached int
	}{
		{answer("a"), 100, 5, 90}, {answer("a"), 100, 5, 90}, {answer("b"), 200, 10, 180},
		{`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":1.5,"usage":{}}` + "\n",
			200, 10, 180},
		{answer("c"), 300, 15, 270},
		{`{"type":"result","subtype":"success","usage":{"input_tokens":12,"output_tokens":6}}` + "\n", 212, 16, 180},
	} {
		if u := used(c.line); u.Input != c.input || u.Output != c.output || u.Cached != c.cached {
			t.Errorf("after %s: %+v", c.line, u)
		}
	}
}
