package watch

import (
	"fmt"
	"testing"
)

// TestGraphemeWriterKeepsGraphemes holds that a screen comes out as it went in, but for marks that stand on nothing.
func TestGraphemeWriterKeepsGraphemes(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\x1b[31mred\x1b[0m 漢字 🙂":   "plain\n\x1b[31mred\x1b[0m 漢字 🙂",
		"x\u0304 q\u0302\u0304 x\u0304":    "x\u0304 q\u0302\u0304 x\u0304",
		"\u0301a\x1b[1m\u0301\n\u0301":     "a\x1b[1m\n",
		"\U00100000x\U00038000\U00100001":  "\U00100000x\U00038000\U00100001",
		"1\ufe0f\u20e3|":                   "\x1b[?7l\x1b7\x1b[2X1\ufe0f\u20e3\x1b8\x1b[?7h\x1b[2C|",
		"\u0601":                           "\x1b[?7l\x1b7\x1b[1X\u0601\x1b8\x1b[?7h\x1b[1C",
		"two 👩\u200d💻\x1b[0m and 👩\u200d💻": "two " + seated("👩\u200d💻") + "\x1b[0m and " + seated("👩\u200d💻"),
	} {
		k := newGraphemeWriter(nil)
		if got := string(k.decode([]byte(k.encode(text)))); got != want {
			t.Errorf("%q comes out as\n%q, want\n%q", text, got, want)
		}
	}
}

// seated is a letter of two columns after which the cursor is put where it belongs.
func seated(letter string) string {
	return "\x1b[?7l\x1b7\x1b[2X" + letter + "\x1b8\x1b[?7h\x1b[2C"
}

// TestInkIsBounded holds that an agent that prints ever other letters costs no ever growing memory,
// and that those known stay.
func TestInkIsBounded(t *testing.T) {
	k := newGraphemeWriter(nil)
	first := k.encode("x\u0304")
	for i := range 3 * standIns {
		k.encode(fmt.Sprintf("y%c%c%c", 0x300+rune(i)%0x60, 0x300+rune(i)/0x60%0x60, 0x300+rune(i)/0x60/0x60))
	}
	if len(k.of) > 2*standIns || len(k.narrow) != standIns {
		t.Errorf("%d letters are kept", len(k.of))
	}
	if got := k.encode("x\u0304z\u0301\U00100005"); got != first+"z\ufffd" {
		t.Errorf("with all stand-ins taken, it is %q", got)
	}
	if got := string(k.decode([]byte(first))); got != "x\u0304" {
		t.Errorf("the first letter became %q", got)
	}
}
