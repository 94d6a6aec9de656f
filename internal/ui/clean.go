package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainLine is text as one line without anything that acts on a terminal.
func plainLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Clean(text))
}

// Clean makes text that an agent or a user wrote safe to print on a terminal.
// It removes escape sequences and every control character but newline and tab,
// as well as the characters that reverse the direction of what follows, which can make a text read as another.
// Bytes that are not UTF-8 become the replacement character.
// What stays is only ever what was visible; a sequence without an end loses its beginning and nothing more.
func Clean(s string) string {
	if !strings.ContainsFunc(s, acts) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if n := sequence(s); n > 0 {
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if !acts(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// acts reports whether a character does something to the terminal instead of appearing on it.
func acts(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

const (
	escape = '\x1b'
	bell   = '\a'
)

// sequence returns the length of the escape sequence that s begins with, or 0 if it begins with none that is complete.
// A sequence begins with escape and a second character, or with one character that stands for the two.
func sequence(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	kind := first
	switch {
	case first == escape:
		second, n := utf8.DecodeRuneInString(s[size:])
		kind, size = second, size+n
	case first >= 0x80 && first < 0xa0:
		kind = first - 0x40
	default:
		return 0
	}
	rest := s[size:]
	tail := -1
	switch kind {
	case '[':
		tail = untilFinal(rest, 0x40)
	case ']', 'P', 'X', '^', '_':
		tail = untilTerminator(rest)
	case ' ', '#', '%', '(', ')', '*', '+', '-', '.', '/':
		tail = untilFinal(rest, 0x30)
	default:
		if first == escape && kind >= 0x30 && kind <= 0x7e {
			tail = 0
		}
	}
	if tail < 0 {
		return 0
	}
	return size + tail
}

// untilFinal returns the length of s up to the first byte from lowest to 0x7e,
// or a negative number if something else than parameters comes before it.
func untilFinal(s string, lowest byte) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= lowest && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return -1
		}
	}
	return -1
}

// untilTerminator returns the length of s up to a bell or a string terminator on the same line,
// or a negative number if there is none.
func untilTerminator(s string) int {
	for i, r := range s {
		switch {
		case r == bell:
			return i + 1
		case r == 0x9c:
			return i + utf8.RuneLen(r)
		case r == escape && strings.HasPrefix(s[i+1:], `\`):
			return i + 2
		case r == '\n' || r == escape:
			return -1
		}
	}
	return -1
}
