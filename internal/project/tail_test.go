package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/project"
)

// TestTailBeginsWithAWholeLine holds that no half of a control sequence or of a character is shown of a long output.
func TestTailBeginsWithAWholeLine(t *testing.T) {
	line := "\x1b[31m" + strings.Repeat("漢", 40) + "\x1b[0m"
	path := filepath.Join(t.TempDir(), "output")
	for name, c := range map[string]struct{ output, begins string }{
		"short":    {"\x1b[31mred\nsecond\n", "\x1b[31mred\n"},
		"long":     {strings.Repeat(line+"\n", 1000), line + "\n"},
		"one line": {strings.Repeat("x", 1<<20), "xxx"},
	} {
		if err := os.WriteFile(path, []byte(c.output), 0o600); err != nil {
			t.Fatal(err)
		}
		for extra := range 9 { // the cut falls on each byte of a character and of a sequence
			tail := project.Tail(path, 4000)
			if !strings.HasPrefix(tail, c.begins) {
				t.Errorf("%s, %d bytes more: it begins with %q", name, extra, tail[:min(20, len(tail))])
			}
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString("x"); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
