package plan

import (
	"errors"
	"strings"
	"testing"
)

func TestAgentsThatAreNotThere(t *testing.T) {
	in := head + sub1 + "- **Agent**: clod\n" + sub2 + "- **Agent**: codex\n" +
		"## Subtask 3: c\n- **Context**: c\n- **Allowed**: c.go\n- **Agent**: `other`\n"
	_, err := Parse([]byte(in), Options{Agents: []string{"claude", "codex"}})
	var f *Faults
	if !errors.As(err, &f) || len(f.List) != 3 || f.List[0].Line != 6 || f.List[1].Line != 12 || f.List[2].Line != 15 {
		t.Fatalf("faults: %v", err)
	}
	if got := f.List[0].Reason; !strings.Contains(got, `"clod"`) || !strings.Contains(got, "claude, codex") {
		t.Errorf("the fault says %q", got)
	}
	if _, err := Parse([]byte(head+sub1+"- **Agent**: clod\n"), Options{}); err != nil {
		t.Errorf("where no names are known: %v", err)
	}
}
