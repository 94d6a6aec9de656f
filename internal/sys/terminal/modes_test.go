package terminal

import "testing"

func TestModesAreUndone(t *testing.T) {
	for shown, want := range map[string]string{
		"":                                 "",
		"plain text":                       "",
		"\x1b[31mred\x1b[0m":               "",
		"\x1b[?1049h\x1b[?25l filled":      "\x1b[?25h\x1b[?1049l\x1b[0m\r\n",
		"\x1b[?1049h\x1b[?25l\x1b[?1049l":  "\x1b[?25h\x1b[0m\r\n",
		"\x1b[?1000;1006h":                 "\x1b[?1000l\x1b[?1006l\x1b[0m\r\n",
		"\x1b[?1049h\x1b[?1049l":           "",
		"\x1b[?2026h":                      "", // ends by itself
		"\x1b[?7l\x1b[?99999999999999999h": "\x1b[?7h\x1b[0m\r\n",
		"\x1b\x1b[?25l":                    "\x1b[?25h\x1b[0m\r\n",
		"\x1b(0lqqk":                       "\x1b(B\x1b[0m\r\n",
		"\x1b(0lqqk\x1b(B\x1b(Bx":          "",
		"\x1b)0\x0elqqk":                   "\x1b)B\x0f\x1b[0m\r\n",
		"\x1b)0\x0elqqk\x0f":               "\x1b)B\x1b[0m\r\n",
		"\x0e":                             "\x0f\x1b[0m\r\n",
		"\x1b*<\x1b+A\x1b[4h":              "\x1b*B\x1b+B\x1b[4l\x1b[0m\r\n",
		"\x1b[?1h\x1b=\x1b[34h":            "\x1b[?1l\x1b>\x1b[0m\r\n",
		"\x1b=\x1b[4h\x1b[4l\x1b>":         "",
	} {
		for size := 1; size <= max(1, len(shown)); size++ { // in pieces that end anywhere
			var m modes
			for at := 0; at < len(shown); at += size {
				m.see([]byte(shown[at:min(at+size, len(shown))]))
			}
			if got := m.undo(); got != want {
				t.Errorf("%q in pieces of %d: undone by %q, want %q", shown, size, got, want)
			}
		}
	}
}
