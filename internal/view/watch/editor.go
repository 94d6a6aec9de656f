package watch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
)

// editor is one line that a person types.
type editor struct {
	text []rune
	at   int // where the next letter goes
}

// longestText keeps a pasted file from becoming a message; one line of a terminal holds no more.
const longestText = 4000

// insert puts a text in, on one line and without what acts on a terminal.
func (e *editor) insert(text string) {
	clean := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, ui.Clean(text)))
	clean = clean[:min(len(clean), longestText-len(e.text))]
	e.text = slices.Insert(e.text, e.at, clean...)
	e.at += len(clean)
}

// remove takes out what lies between two places.
func (e *editor) remove(from, to int) {
	e.text = slices.Delete(e.text, from, to)
	e.at = from
}

// press does what a key does in a line; a key without a meaning does nothing.
func (e *editor) press(key tea.Key) {
	switch key.Keystroke() {
	case "left", "ctrl+b":
		e.at -= e.letterBefore()
	case "right", "ctrl+f":
		e.at += e.letterAfter()
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		e.remove(e.at-e.letterBefore(), e.at)
	case "delete", "ctrl+d":
		e.remove(e.at, e.at+e.letterAfter())
	case "ctrl+u":
		e.remove(0, e.at)
	case "ctrl+k":
		e.remove(e.at, len(e.text))
	case "ctrl+w", "alt+backspace":
		e.remove(e.wordBefore(), e.at)
	default:
		if key.Text != "" {
			e.insert(key.Text)
		}
	}
}

// letterBefore is of how many characters the letter before the cursor is, 0 at the beginning.
func (e *editor) letterBefore() (n int) {
	for l := range ui.Graphemes(string(e.text[:e.at])) {
		n = utf8.RuneCountInString(l.Text)
	}
	return n
}

// letterAfter is the same of the one at the cursor, 0 at the end.
func (e *editor) letterAfter() int {
	for l := range ui.Graphemes(string(e.text[e.at:])) {
		return utf8.RuneCountInString(l.Text)
	}
	return 0
}

// wordBefore is where the word before the cursor begins.
func (e *editor) wordBefore() int {
	at := e.at
	for at > 0 && e.text[at-1] == ' ' {
		at--
	}
	for at > 0 && e.text[at-1] != ' ' {
		at--
	}
	return at
}

// view is the part of the line around the cursor that fits, and the cursor's column in it.
func (e *editor) view(width int) (text string, column int) {
	width = max(1, width)
	before := slices.Collect(ui.Graphemes(string(e.text[:e.at])))
	seen := string(e.text[e.at:])
	for i := len(before) - 1; i >= 0 && column+before[i].Columns < width; i-- {
		column += before[i].Columns
		seen = before[i].Text + seen
	}
	return ui.Cut(seen, width), column
}

func (e *editor) String() string { return strings.TrimSpace(string(e.text)) }
