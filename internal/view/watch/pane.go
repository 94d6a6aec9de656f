package watch

import (
	"strings"

	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/ui"
)

// tabs are the names of the tabs, in their order. Each begins with its key.
func tabs() []string { return []string{"output", "diff", "checkpoint", "findings"} }

// view is a text of which a part is on the screen.
type view struct {
	stamp, text string
	known       bool
	top         int  // the first line seen
	follows     bool // the end stays in sight

	// What the text was broken into for a width, and how many lines there was room for when it was drawn last.
	lines []string
	width int
	room  int
}

// shows says whether that is the text already.
func (v *view) shows(p Pane) bool { return v.known && v.stamp == p.Stamp }

// set is a new text. The place in it stays.
func (v *view) set(stamp, text string) {
	v.stamp, v.text, v.known, v.width = stamp, text, true, 0
}

// scrolling is a way through a text: so many lines, and so many screens.
type scrolling struct{ lines, screens int }

// farAway is beyond the end of any text.
const farAway = 1 << 30

func scrolls() map[string]scrolling {
	return map[string]scrolling{
		"pgdown": {screens: 1}, "space": {screens: 1}, "ctrl+d": {screens: 1}, "pgup": {screens: -1},
		"b": {screens: -1}, "ctrl+u": {screens: -1},
		"]": {lines: 1}, "[": {lines: -1}, "shift+down": {lines: 1}, "shift+up": {lines: -1},
		"home": {lines: -farAway}, "g": {lines: -farAway}, "end": {lines: farAway}, "G": {lines: farAway},
	}
}

func (v *view) scroll(by scrolling) {
	last := v.lastTop()
	v.top = min(max(0, v.top+by.lines+by.screens*max(1, v.room-1)), last)
	v.follows = v.top == last && (by.lines > 0 || by.screens > 0)
}

func (v *view) lastTop() int { return max(0, len(v.lines)-v.room) }

// draw is the part of the text that is seen in so much room.
func (v *view) draw(width, room int) []string {
	if width != v.width {
		v.lines, v.width = nil, width
		for l := range strings.SplitSeq(strings.TrimRight(v.text, "\n"), "\n") {
			v.lines = append(v.lines, fold(l, width)...)
		}
	}
	v.room = max(0, room)
	if v.follows {
		v.top = v.lastTop()
	}
	v.top = min(v.top, v.lastTop())
	return v.lines[v.top:min(len(v.lines), v.top+v.room)]
}

// place says which part is seen, "" if it is all.
func (v *view) place() (from, to, of int, part bool) {
	return v.top + 1, min(len(v.lines), v.top+v.room), len(v.lines), len(v.lines) > v.room
}

// shownLine is a line of which colours and what can be seen are left.
func shownLine(text string) string {
	var b strings.Builder
	for text != "" {
		if c := colour.FindString(text); c != "" {
			b.WriteString(c)
			text = text[len(c):]
			continue
		}
		end := len(text)
		if at := strings.IndexByte(text[1:], '\x1b'); at >= 0 {
			end = at + 1
		}
		b.WriteString(strings.ReplaceAll(ui.Clean(text[:end]), "\n", ""))
		text = text[end:]
	}
	return b.String()
}

var colour = lazyregexp.New("^\x1b\\[[0-9;]*m")

const (
	plain   = "\x1b[0m"
	tabStop = 4
)

// fold breaks a line so that its parts fit the width. Colours go on in the next part; whatever else
// would act on a terminal is taken out.
func fold(text string, width int) []string {
	var all []string
	var b strings.Builder
	used, painted := 0, ""
	flush := func() {
		if painted != "" {
			b.WriteString(plain)
		}
		all = append(all, b.String())
		b.Reset()
		b.WriteString(painted)
		used = 0
	}
	put := func(letter string, columns int) {
		if used > 0 && used+columns > width {
			flush()
		}
		b.WriteString(letter)
		used += columns
	}
	for l := range ui.Graphemes(shownLine(text)) {
		switch {
		case l.Columns == 0 && colour.MatchString(l.Text):
			b.WriteString(l.Text)
			if painted += l.Text; l.Text == plain {
				painted = ""
			}
		case l.Text == "\t":
			for n := tabStop - used%tabStop; n > 0; n-- {
				put(" ", 1)
			}
		default:
			put(l.Text, min(width, l.Columns))
		}
	}
	flush()
	return all
}
