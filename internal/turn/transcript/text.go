package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"delegate/checkpoint"
	"delegate/internal/text/ui"
)

// FirstLine is the first line of a text that has words in it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// BlockText is a block in one line.
func BlockText(b checkpoint.Block) string {
	parts := []string{string(b.Status)}
	if b.Progress >= 0 {
		parts[0] += fmt.Sprintf(" %d%%", b.Progress)
	}
	if b.Request != checkpoint.NoRequest {
		parts = append(parts, "request "+string(b.Request))
	}
	if b.Contradictory() {
		parts = append(parts, "contradictory: complete, but not a merge request")
	}
	if b.Blockers != "" {
		parts = append(parts, "blocked by: "+b.Blockers)
	}
	if b.Questions != "" {
		parts = append(parts, "asks: "+b.Questions)
	}
	return strings.Join(parts, "; ")
}

// End is the end of a transcript as people read it, at most so many bytes. What is cut off at its front is said there,
// with what to type for the whole.
func End(path string, most int64, whole string) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "\n", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	start := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(file, start, most))
	if err != nil {
		return "", err
	}
	text := ui.Clean(string(data))
	if start > 0 {
		if _, lines, found := strings.Cut(text, "\n"); found {
			start, text = start+int64(len(text)-len(lines)), lines
		}
		text = fmt.Sprintf("[… cut here: the first %d of %d bytes are left out; the whole: %s …]\n", start, info.Size(),
			whole) + text
	}
	return strings.TrimRight(text, "\n") + "\n", nil
}
