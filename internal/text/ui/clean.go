package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// plainLine is text as one line without anything that acts on a terminal.
func plainLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Clean(text))
}

// Clean makes text that an agent, a forge or a file name brings safe to print on a terminal and to send in the person's
// name. It removes escape sequences and every character that Acts. Bytes that are not UTF-8 become the replacement
// character.
// What stays is only ever what was visible; a sequence without an end loses its beginning and nothing more.
func Clean(s string) string {
	if !strings.ContainsFunc(s, Acts) && utf8.ValidString(s) {
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
		if !Acts(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Acts reports whether a character does something to a text instead of appearing in it: controls but newline and tab,
// other line ends, and characters that hide or reorder what follows. The joiners are let through, which scripts and
// emoji need.
func Acts(r rune) bool {
	const zeroWidthNonJoiner, lineSeparator, paragraphSeparator = 0x200c, 0x2028, 0x2029
	switch r {
	case '\n', '\t', zeroWidthNonJoiner, zeroWidthJoiner:
		return false
	case lineSeparator, paragraphSeparator:
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// CleanJSON returns a JSON document that is the same, with escapes for what cannot be seen in it: what Acts, joiners,
// and what varies a character, by which a text can read as another to a person than to a program.
func CleanJSON(document string) string {
	if !strings.ContainsFunc(document, unseen) {
		return document
	}
	var b strings.Builder
	for _, r := range document {
		switch {
		case !unseen(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector)
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
