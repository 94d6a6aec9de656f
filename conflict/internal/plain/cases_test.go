package plain_test

import (
	"strings"
	"testing"

	"delegate/conflict/internal/plain"
)

// Of code that nobody wrote by hand nothing is searched for the end of a match, or of brackets in brackets.
func TestCasesAreBounded(t *testing.T) {
	every := func(int) bool { return true }
	arms := "\tKind.One -> 1\n\tKind.Two -> 2\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"whole":    {"when (kind) {\n" + arms + "}\n", 1},
		"no end":   {"when (kind) {\n" + arms, 0},
		"too far":  {"when (kind) {\n" + strings.Repeat(arms, 200) + "}\n", 0},
		"too long": {"when (kind) {\n" + arms + strings.Repeat("(", plain.LongestLine+1) + "\n}\n", 0},
	} {
		if got := plain.Matchings("f.kt", c.text, every); len(got) != c.want {
			t.Errorf("%s: %d matches, want %d", name, len(got), c.want)
		}
	}
	long := "enum class Kind { One, Two" + strings.Repeat(" ", plain.LongestLine) + "}\n"
	if got := plain.Enumerations("f.kt", long); len(got) != 0 {
		t.Errorf("a line of %d bytes was read: %v", len(long), got)
	}
}
