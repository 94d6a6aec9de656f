package status

import "testing"

// TestWords holds that a conflict is a sentence about its agent, without the names and the constant of its key.
func TestWords(t *testing.T) {
	const key = "AGT-001 × AGT-002 API_CONFLICT a.py to_bytes"
	for said, want := range map[string]string{
		"AGT-001 renames to_bytes; AGT-002 calls it.": "renames to_bytes; AGT-002 calls it.",
		"AGT-002 calls to_bytes.":                     "has a conflict: AGT-002 calls to_bytes.",
	} {
		p := Point{Kind: ConflictPoint, Agent: "AGT-001", Key: key, Text: key + ": " + said}
		if got := p.Words(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := (Point{Kind: AskPoint, Agent: "AGT-001", Key: "q", Text: "asks"}).Words(); got != "asks" {
		t.Errorf("%q", got)
	}
}
