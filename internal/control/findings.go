package control

import (
	"strings"

	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
)

// largestFinding is how many bytes of one finding a message has.
const largestFinding = 6000

// Findings is a message that sends work back: the person's words, which may be empty, and what the
// review found, one entry each. An entry may have several lines, such as the end of a test's
// output; one that is too long is cut visibly. Without both the message is empty.
func Findings(words string, found []string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(words))
	begun := false
	for _, text := range found {
		text = strings.TrimSpace(ui.Clean(text))
		if text == "" {
			continue
		}
		if !begun {
			if begun = true; b.Len() > 0 {
				b.WriteString("\n\n")
			}
			b.WriteString("What the review found:\n")
		}
		b.WriteString("\n- " + strings.ReplaceAll(agent.Cut(text, largestFinding), "\n", "\n  "))
	}
	return b.String()
}
