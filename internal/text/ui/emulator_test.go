package ui_test

import (
	"strings"
	"testing"

	"delegate/internal/text/ui"

	"github.com/hinshun/vt10x"
)

// FuzzCleanOnATerminal shows cleaned text on an emulated terminal between two lines of this program. Whatever the text
// is, those lines stay where they are, the title stays empty, and what follows is drawn as it is meant.
func FuzzCleanOnATerminal(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J\x1b[1;1Hover", "\x1b]0;title\a", "\x1b[?1049h",
		"a\rb\x1b[A", "\x1b[8mhidden",
		"\x1bPq\x1b\\", "\u009b2J", "\x1b(0qqq", "\x1b[4;10r\x1b[31", "\x1b]0;never ended",
		"\x0e", "\x1b[?25l", "\xff\x1b[2J"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, _, _ := strings.Cut(ui.Clean(s), "\n")
		if len(text)+8*strings.Count(text, "\t") > 60 {
			return // it would wrap, as any text does
		}
		const above, below = "? Land AGT-001 (digest f4462af)?", "Type an answer, then Enter."
		screen := vt10x.New(vt10x.WithSize(100, 5))
		fresh := screen.Mode()
		_, _ = screen.Write([]byte(above + "\r\n" + text + "\r\n" + below)) // it never gives an error
		lines := strings.Split(screen.String(), "\n")
		if got := strings.TrimRight(lines[0], " "); got != above {
			t.Errorf("%q makes the line above %q", s, got)
		}
		if got := strings.TrimRight(lines[2], " "); got != below {
			t.Errorf("%q makes the line below %q", s, got)
		}
		if screen.Title() != "" || screen.Mode() != fresh {
			t.Errorf("%q leaves the title %q and the mode %v", s, screen.Title(), screen.Mode())
		}
		if cell := screen.Cell(0, 2); cell.FG != vt10x.DefaultFG || cell.BG != vt10x.DefaultBG || cell.Mode != 0 {
			t.Errorf("%q leaves the style %+v", s, cell)
		}
	})
}
