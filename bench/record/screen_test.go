//go:build bench && linux

package record

import (
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// The size of the terminal, in characters.
const (
	columns = 100
	rows    = 30
)

// style is how a character looks. Colours are CSS; "" is that of the terminal.
type style struct {
	fg, bg                  string
	bold, italic, underline bool
}

// span is text of one style in one row.
type span struct {
	column int
	text   string
	style  style
}

func (s span) width() int { return utf8.RuneCountInString(s.text) }

// picture is what a terminal shows at one moment: for each row its spans, without blanks at their
// ends, and where the cursor is.
type picture struct {
	rows   [rows][]span
	column int // of the cursor
	row    int // of the cursor, -1 if it is hidden
}

// text is one row without its styles.
func (p picture) text(row int) string {
	var b strings.Builder
	at := 0
	for _, s := range p.rows[row] {
		b.WriteString(strings.Repeat(" ", s.column-at) + s.text)
		at = s.column + s.width()
	}
	return b.String()
}

// String is the text of all rows, for messages about a recording that got stuck.
func (p picture) String() string {
	var b strings.Builder
	for row := range p.rows {
		b.WriteString(strings.TrimRight(p.text(row), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// screen is a terminal without a window.
type screen struct {
	emulator vt10x.Terminal
	rest     []byte // the beginning of a sequence or a character whose end has not come
	printed  []byte // all that was shown so far
}

// newScreen makes a terminal whose answers, such as where its cursor is, are written to keyboard.
func newScreen(keyboard io.Writer) *screen {
	return &screen{emulator: vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(keyboard))}
}

// feed shows what a program has written. The pieces may end anywhere.
func (s *screen) feed(data []byte) error {
	data = append(s.rest, data...)
	end := complete(data)
	s.rest = append([]byte(nil), data[end:]...)
	s.printed = append(s.printed, data[:end]...)
	// The emulator does not know the faint rendition; bright black is what terminals show in its place.
	// Neither does it know requests about the keyboard, and takes some of them for the cursor's.
	shown := keyboard.ReplaceAll(faint.ReplaceAll(data[:end], []byte("\x1b[90m")), nil)
	shown = neither.ReplaceAll(shown, []byte("\x1b[39;22"))
	_, err := s.emulator.Write(shown)
	return err
}

// neither matches the end of bold and faint, which has to end that colour as well.
var neither = regexp.MustCompile(`\x1b\[22\b`)

var keyboard = regexp.MustCompile(`\x1b\[[<>=?][0-9;]*[um]`)

var faint = regexp.MustCompile(`\x1b\[2m`)

// complete is the length of data without a sequence or a character that is cut off at its end.
func complete(data []byte) int {
	end := len(data)
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if first := data[end-back]; utf8.RuneStart(first) {
			if !utf8.FullRune(data[end-back:]) {
				end -= back
			}
			break
		}
	}
	if at := strings.LastIndexByte(string(data[:end]), '\x1b'); at >= 0 && begun.Match(data[at:end]) {
		return at
	}
	return end
}

// begun matches an escape, or a control sequence, that lacks its last byte.
var begun = regexp.MustCompile(`^\x1b(\[[0-9;?<>=]*)?$`)

// since is the plain text that was printed after the first n bytes.
func (s *screen) since(n int) string { return string(sequences.ReplaceAll(s.printed[n:], nil)) }

// sequences matches what acts on a terminal and is not shown.
var sequences = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]|\x1b[=>78]|\r`)

// picture is what is shown now.
func (s *screen) picture() picture {
	s.emulator.Lock()
	defer s.emulator.Unlock()
	p := picture{row: -1}
	for y := range rows {
		p.rows[y] = s.spans(y)
	}
	if s.emulator.CursorVisible() {
		at := s.emulator.Cursor()
		p.column, p.row = min(at.X, columns-1), at.Y
	}
	return p
}

func (s *screen) spans(y int) []span {
	var all []span
	for x := range columns {
		glyph := s.emulator.Cell(x, y)
		char, look := glyph.Char, styleOf(glyph)
		if char == 0 {
			char = ' '
		}
		if last := len(all) - 1; last >= 0 &&
			(all[last].style == look || char == ' ' && alikeBehind(all[last].style, look)) {
			all[last].text += string(char)
			continue
		}
		all = append(all, span{x, string(char), look})
	}
	return trimmed(all)
}

// alikeBehind says whether a blank looks the same in both styles.
func alikeBehind(a, b style) bool { return a.bg == b.bg && a.underline == b.underline }

// trimmed drops blanks at the ends of spans that would show nothing.
func trimmed(all []span) []span {
	var kept []span
	for _, s := range all {
		if s.style.bg == "" && !s.style.underline {
			left := strings.TrimLeft(s.text, " ")
			s.column += len(s.text) - len(left)
			s.text = strings.TrimRight(left, " ")
		}
		if s.text != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// The emulator's bits of a glyph's mode, which it keeps to itself.
const (
	modeUnderline = 1 << 1
	modeBold      = 1 << 2
	modeItalic    = 1 << 4
)

// styleOf is a glyph's look. The emulator has exchanged the colours of reversed ones already.
func styleOf(g vt10x.Glyph) style {
	look := style{bold: g.Mode&modeBold != 0, italic: g.Mode&modeItalic != 0, underline: g.Mode&modeUnderline != 0}
	if g.FG != vt10x.DefaultFG {
		look.fg = colour(g.FG)
	}
	if g.BG != vt10x.DefaultBG {
		look.bg = colour(g.BG)
	}
	return look
}
