package transcript

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
)

// noted is a reader of a turn whose program printed something, and wrote something down in its home.
func noted(t *testing.T, printed, pattern, name, written string, now time.Time) *Reader {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	r := &Reader{Turn: keeper.Turn{Dir: dir}, p: &project.Project{Config: config.Default(), Now: func() time.Time {
		return now
	}}, scanner: checkpoint.NewScanner("AGT-001"), tests: checkpoint.NewTestDetector(), events: &events{},
		notes: notes{home: agentdir.Dir(home), pattern: pattern}}
	if err := r.Turn.KeepSessionID("11aa-22"); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{r.Turn.Output(): printed, filepath.Join(home, name): written} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(r.Turn.Output(), now.Add(-time.Hour), now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := r.Read(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUsageThatIsWrittenDown holds that what codex uses up is known while its turn runs, and counts for the turn alone.
func TestUsageThatIsWrittenDown(t *testing.T) {
	r := noted(t, `{"type":"turn.started"}`+"\n", "s/*/rollout-*-{session_id}.jsonl", "s/25/rollout-1-11aa-22.jsonl",
		`{"payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":300,"output_tokens":60}}}}`+"\n"+
			`{"payload":{"type":"token_count"`, time.Now())
	r.events.before = agentdir.Usage{InputTokens: 100, OutputTokens: 20}
	if got := r.Usage(r.notes.home); got.InputTokens != 200 || got.OutputTokens != 40 {
		t.Errorf("the turn used up %+v, want 200 in and 40 out", got)
	}
}

// TestWaitThatIsWrittenDown holds that a program that waits in silence is known to wait, until it prints something, and
// that what it wrote before it printed something is over.
func TestWaitThatIsWrittenDown(t *testing.T) {
	now := time.Date(2026, 11, 25, 14, 0, 0, 0, time.UTC)
	for at, waits := range map[time.Time]bool{now.Add(-2 * time.Hour): false, now.Add(-time.Minute): true} {
		r := noted(t, `{"type":"system","subtype":"init","session_id":"11aa-22"}`+"\n", "p/*/{session}.jsonl",
			"p/w/11aa.jsonl", `{"timestamp":"`+at.Format(time.RFC3339)+`","subtype":"ui_telemetry","systemPayload":`+
				`{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"429 Rate limit reached"}}}`+"\n", now)
		w, got := r.WaitsForProvider(now)
		if got != waits || got && (w.Fault != dialect.ProviderLimit || !w.Since.Equal(at)) {
			t.Errorf("what was written at %s: it waits %t, %+v", at, got, w)
		}
	}
}
