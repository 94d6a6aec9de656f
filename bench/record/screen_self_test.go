//go:build bench && linux

package record

import (
	"io"
	"reflect"
	"strings"
	"testing"
)

func show(t *testing.T, pieces ...string) *screen {
	t.Helper()
	s := newScreen(io.Discard)
	for _, piece := range pieces {
		if err := s.feed([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestScreenShowsStyles(t *testing.T) {
	got := show(t, "a \x1b[1mbold one\x1b[0m \x1b[2mfaint\x1b[0m\r\n\x1b[31;4mred\x1b[0m \x1b[38;5;208mnumber\x1b[0m "+
		"\x1b[38;2;1;2;3mtrue\x1b[0m \x1b[7mback\x1b[0m").picture()
	p := palette()
	want := [][]span{
		{{0, "a", style{}}, {2, "bold one", style{bold: true}}, {11, "faint", style{fg: p[8]}}},
		{{0, "red", style{fg: p[1], underline: true}}, {4, "number", style{fg: "#ff8700"}},
			{11, "true", style{fg: "#010203"}}, {16, "back", style{fg: ground, bg: ink}}},
	}
	if !reflect.DeepEqual(got.rows[:2], want) {
		t.Errorf("got  %+v\nwant %+v", got.rows[:2], want)
	}
	if got.row != 1 || got.column != 20 {
		t.Errorf("cursor at column %d of row %d, want 20 of 1", got.column, got.row)
	}
}

func TestScreenTakesPiecesThatEndAnywhere(t *testing.T) {
	text := "\x1b[1mé═\x1b[0m \x1b[2mfaint\x1b[0m\r\n→ \x1b[38;2;10;20;30mcolour\x1b[0m\x1b[?25l"
	whole := show(t, text).picture()
	if whole.text(0) != "é═ faint" || whole.text(1) != "→ colour" || whole.row != -1 {
		t.Fatalf("the whole text shows\n%s\ncursor in row %d", whole, whole.row)
	}
	for cut := range text {
		if got := show(t, text[:cut], text[cut:]).picture(); !reflect.DeepEqual(got, whole) {
			t.Errorf("cut after %d bytes it shows\n%s", cut, got)
		}
	}
	if got := show(t, strings.Split(text, "")...).picture(); !reflect.DeepEqual(got, whole) {
		t.Errorf("in characters it shows\n%s", got)
	}
}

func TestScreenRemembersWhatWasPrinted(t *testing.T) {
	s := show(t, "one\r\n")
	at := len(s.printed)
	if err := s.feed([]byte("\x1b[1;32mtwo\x1b[0m words" + strings.Repeat("\r\n", 2*rows))); err != nil {
		t.Fatal(err)
	}
	if got := s.since(at); !strings.HasPrefix(got, "two words\n") {
		t.Errorf("since the first line: %q", got)
	}
	if got := s.picture().String(); got != "" {
		t.Errorf("all has scrolled away, but this is shown:\n%s", got)
	}
}
