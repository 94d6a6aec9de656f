package planner

import (
	"strings"
	"testing"
	"time"

	"delegate/internal/dialect"
)

// A planner that prints a great many short words is heard in a time that grows with them and no faster.
func TestManyWords(t *testing.T) {
	h, many := plannerOutput{}, make([]dialect.Event, 1000)
	for i := range many {
		many[i] = dialect.Event{Kind: dialect.Words, Text: "word "}
	}
	h.take([]dialect.Event{{Kind: dialect.Words, Text: strings.Repeat("x", wordLimit)}})
	begun := time.Now()
	for range 100 {
		h.take(many)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("100000 words took %s", took)
	}
	h.take([]dialect.Event{{Kind: dialect.Words, Text: strings.Repeat("y", wordLimit)},
		{Kind: dialect.Words, Text: "the end"}})
	if len(h.spoken) > 2*wordLimit || !strings.HasSuffix(string(h.spoken), "the end") {
		t.Errorf("kept %d bytes", len(h.spoken))
	}
}
