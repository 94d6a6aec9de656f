package planner

import (
	"strings"
	"testing"
	"time"
)

// A planner that prints a great many short words is heard in a time that grows with them and no faster.
func TestManyWords(t *testing.T) {
	var spoken ending
	spoken.add(strings.Repeat("x", wordLimit))
	begun := time.Now()
	for range 100_000 {
		spoken.add("word ")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("100000 words took %s", took)
	}
	spoken.add(strings.Repeat("y", wordLimit))
	spoken.add("the end")
	if len(spoken) > 2*wordLimit || !strings.HasSuffix(spoken.String(), "the end") {
		t.Errorf("kept %d bytes", len(spoken))
	}
}
