package status

import (
	"testing"

	"delegate/checkpoint"
)

// TestLastWords holds that the screen shows an agent's last tool or last sentence, not what its report is made of.
func TestLastWords(t *testing.T) {
	report := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.InProgress, Progress: 50,
		Request: checkpoint.Continue, Blockers: "Nothing but time."}.String()
	for output, want := range map[string]string{
		"Reading. I rename the helper of greetings now.\n": "I rename the helper of greetings now.",
		"I rename the helper. It goes well.\n":             "I rename the helper. It goes well.",
		"I rename it.\n· Edit args.go\n":                   "Edit args.go",
		"· Bash go test ./...\nok  x 0.1s\n---\n\n":        "ok  x 0.1s",
		"Half of it is done.\n\n" + report + "\n":          "Half of it is done.",
		"· Edit a.go\n" + report + "Now the second.\n":     "Now the second.",
		report: "",
		"":     "",
	} {
		if got := lastWords("AGT-001", output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
