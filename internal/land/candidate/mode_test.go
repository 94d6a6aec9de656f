package candidate

import (
	"testing"

	"delegate/registry"
)

// TestSquashSaysTheTaskOnce holds that a task of one line, as delegate add takes it, is not the body of its own commit.
func TestSquashSaysTheTaskOnce(t *testing.T) {
	for _, c := range []struct{ subtask, description, want string }{
		{"Fix the typo", "Fix the typo\n", "Fix the typo"},
		{"Fix the typo", "In README, line 3.", "Fix the typo\n\nIn README, line 3."},
	} {
		m := Member{Agent: registry.Agent{Subtask: c.subtask, Description: c.description}}
		if got, _ := (squash{}).Commit(m, "onto"); got != c.want {
			t.Errorf("message %q, want %q", got, c.want)
		}
	}
}
