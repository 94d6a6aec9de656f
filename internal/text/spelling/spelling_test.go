package spelling_test

import (
	"testing"

	"delegate/internal/text/spelling"
)

func TestNearest(t *testing.T) {
	known := []string{"status", "merge", "wait", "rollback", "complete", "on"}
	for written, want := range map[string]string{"mege": "merge", "Merge": "merge", "roll": "rollback",
		"stats": "status", "zebra": "", "": "", "c": "", "foo": "", "onn": "on"} {
		if got := spelling.Nearest(written, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", written, got, want)
		}
	}
}
