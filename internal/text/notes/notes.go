package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/text/shorten"
)

const (
	maxNote  = 64 << 10 // bytes of one entry's text
	maxTitle = 200      // characters
	maxFrom  = 200      // characters
)

// Notes is the file of delegation notes, oldest entry first. It holds nothing open; many processes may use it at once.
type Notes struct {
	Path string // the Markdown file; it need not exist
	Lock string // the lock file that all writers of Path use
}

// Entry is a note.
type Entry struct {
	Time  time.Time // written in UTC, to the second
	From  string    // who left it: session, agent and turn; with the title it identifies the note
	Title string    // one line; more than 200 characters are cut
	Text  string    // Markdown; more than 64 KiB are cut, visibly
}

// Add appends a note. It returns false, and changes nothing, if a note of that From and Title is there already.
func (n Notes) Add(ctx context.Context, e Entry) (bool, error) {
	name := e.name()
	added := false
	err := file{path: n.Path, lock: n.Lock}.update(ctx, func(text []byte) []byte {
		if hasNote(text, name) {
			return text
		}
		added = true
		if len(text) == 0 {
			text = []byte("# Delegation Notes\n")
		}
		head := fmt.Sprintf("%s%s%s%s\n\n", mark, e.Time.UTC().Format(time.RFC3339), dot, name)
		return slices.Concat(apart(text), []byte(head+body(e.Text, maxNote)))
	})
	if err != nil {
		return false, fmt.Errorf("add note %q: %w", e.Title, err)
	}
	return added, nil
}

// dot separates time, origin and title in a heading.
const dot = " · "

// name is the heading of the entry behind its time. A dot in the origin would move its end.
func (e Entry) name() string {
	return oneLine(strings.ReplaceAll(e.From, "·", "-"), maxFrom) + dot + oneLine(e.Title, maxTitle)
}

func hasNote(text []byte, name string) bool {
	_, all := sections(text)
	return slices.ContainsFunc(all, func(section []byte) bool {
		_, found, _ := strings.Cut(heading(section), dot)
		return strings.TrimSpace(found) == strings.TrimSpace(name)
	})
}

// Recent is the newest notes that fit into that many bytes, oldest first, below a line that says
// how many were left out. The newest is shortened if it alone is too long. A missing file has none.
func (n Notes) Recent(most int) (string, error) {
	text, err := file{path: n.Path}.read()
	if err != nil {
		return "", err
	}
	_, all := sections(text)
	room := most - len(leftOut(len(all)))
	var kept []string // newest first
	for _, section := range slices.Backward(all) {
		note := strings.TrimSpace(string(section)) + "\n"
		if len(note) >= room && len(kept) == 0 {
			note = shortened(note, room-1)
		}
		if room -= len(note) + 1; note == "" || room < 0 {
			break
		}
		kept = append(kept, note)
	}
	if left := leftOut(len(all) - len(kept)); left != "" && len(left) <= most {
		kept = append(kept, left)
	}
	slices.Reverse(kept)
	return strings.Join(kept, "\n"), nil
}

func leftOut(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("(older notes that are left out: %d)\n", count)
}

// shortened is the beginning of a note, at most room bytes with the line that tells of the cut.
func shortened(note string, room int) string {
	if room <= cutRoom {
		return ""
	}
	return shorten.Prefix(note, room-cutRoom) + "\n" + cutLine(len(note))
}
