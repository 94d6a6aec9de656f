package watch

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"delegate/internal/text/ui"
)

// graphemeWriter is the way of the screen's text to the terminal.
//
// The screen's library loses marks on ASCII letters, and has another opinion than terminals about
// the width of characters that some of them join. So it is given one stand-in for each letter of
// several characters: a code point without a meaning, of the width that the letter shall have.
// Write puts the letters in again, those of a doubtful width so that what follows them stands where
// it should on every terminal.
type graphemeWriter struct {
	out *os.File

	mu     sync.Mutex
	of     map[string]rune
	narrow []ui.Grapheme // by stand-in
	wide   []ui.Grapheme
}

// Where stand-ins are: a plane for private use, and one in which every character is wide and these are none.
// Text that has them itself has stand-ins for them.
const (
	firstNarrow = 0x100000
	firstWide   = 0x38000
	standIns    = 1 << 14 // of either kind
)

func newGraphemeWriter(out *os.File) *graphemeWriter {
	return &graphemeWriter{out: out, of: map[string]rune{}}
}

func isStandIn(r rune) bool {
	return r >= firstNarrow && r < firstNarrow+standIns || r >= firstWide && r < firstWide+standIns
}

// encode is a text with stand-ins for those letters that need them. Marks without a letter have no place on a screen.
func (k *graphemeWriter) encode(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b strings.Builder
	b.Grow(len(text))
	for l := range ui.Graphemes(text) {
		first, size := utf8.DecodeRuneInString(l.Text)
		switch {
		case l.Columns == 0 && first != '\x1b':
		case l.Columns > 0 && (l.Doubtful || size < len(l.Text) || isStandIn(first)):
			b.WriteRune(k.standIn(l))
		default:
			b.WriteString(l.Text)
		}
	}
	return b.String()
}

// standIn is the letter's stand-in, or where too many have one already, what is left of the letter without its marks.
func (k *graphemeWriter) standIn(l ui.Grapheme) rune {
	if r, known := k.of[l.Text]; known {
		return r
	}
	list, base := &k.narrow, rune(firstNarrow)
	if l.Columns > 1 {
		list, base = &k.wide, firstWide
	}
	if len(*list) == standIns {
		first, _ := utf8.DecodeRuneInString(l.Text)
		if isStandIn(first) {
			return utf8.RuneError
		}
		return first
	}
	l.Text = strings.Clone(l.Text) // it is part of a whole screen
	*list = append(*list, l)
	r := base + rune(len(*list)) - 1
	k.of[l.Text] = r
	return r
}

// Bytes with which stand-ins begin in UTF-8.
const narrowLead, wideLead = 0xf4, 0xf0

// A terminal with one screen only, as GNU screen is as long as it is not told otherwise, gives
// nothing back when it is left: so it is left blank, and what comes next does not stand among the
// rows of a session.
const (
	leaves = "\x1b[?1049l"
	blank  = "\x1b[H\x1b[2J"
)

// Write gives it to the terminal with the letters in it. What it is given ends with whole characters.
func (k *graphemeWriter) Write(p []byte) (int, error) {
	all := bytes.ReplaceAll(p, []byte(leaves), []byte(blank+leaves))
	if bytes.IndexByte(p, narrowLead) >= 0 || bytes.IndexByte(p, wideLead) >= 0 {
		all = k.decode(all)
	}
	if _, err := k.out.Write(all); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (k *graphemeWriter) decode(p []byte) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]byte, 0, 2*len(p))
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		switch at := int(r); {
		case r >= firstNarrow && at-firstNarrow < len(k.narrow):
			all = append(all, written(k.narrow[at-firstNarrow])...)
		case r >= firstWide && at-firstWide < len(k.wide):
			all = append(all, written(k.wide[at-firstWide])...)
		default:
			all = append(all, p[:size]...)
		}
		p = p[size:]
	}
	return all
}

// written is a letter as the terminal gets it. After one of a doubtful width the cursor is put where it belongs,
// and while it is written lines do not wrap: what the terminal makes wider than it should be is
// covered by what follows.
func written(l ui.Grapheme) string {
	if !l.Doubtful {
		return l.Text
	}
	return fmt.Sprintf("\x1b[?7l\x1b7\x1b[%dX%s\x1b8\x1b[?7h\x1b[%dC", l.Columns, l.Text, l.Columns)
}

// Read, Close and Fd make it a terminal for the library.
func (k *graphemeWriter) Read(p []byte) (int, error) { return k.out.Read(p) }

// Close is not for the library: the terminal belongs to the process.
func (k *graphemeWriter) Close() error { return nil }

// Fd is the terminal's, for its size and modes.
func (k *graphemeWriter) Fd() uintptr { return k.out.Fd() }
