package channel

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value stands on one line, whatever it holds. Behind a backslash stand
//
//	\ | ` ~ * <     themselves
//	#               itself, at the start of a value
//	! >             themselves, in the marks of a comment
//	n t             a newline, a tab
//	u{1B} x{FF}     a character that is not seen, a byte that is no UTF-8
//
// A backslash before anything else stands for itself, as it does in Markdown.
const (
	escaped  = "\\|`~*<"
	readable = escaped + "#!>"
)

func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch edge := i == 0 || i+size == len(s); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x{%02X}`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' && edge, r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%X}`, r)
		case strings.ContainsRune(escaped, r), r == '#' && i == 0, r == '!' && strings.HasSuffix(s[:i], "<"),
			r == '>' && strings.HasSuffix(s[:i], "--"):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func unescape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		text, length := unescapeOne(s[at:])
		b.WriteString(text)
		s = s[at+length:]
	}
	return b.String() + s
}

// unescapeOne reads the backslash that s begins with and what it stands before.
func unescapeOne(s string) (text string, length int) {
	if len(s) < 2 {
		return s, len(s)
	}
	switch c := s[1]; {
	case c == 'n':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case strings.IndexByte(readable, c) >= 0:
		return s[1:2], 2
	case c != 'u' && c != 'x' || len(s) < 3 || s[2] != '{':
		return `\`, 1
	}
	digits, _, closed := strings.Cut(s[3:], "}")
	n, err := strconv.ParseUint(digits, 16, 21)
	length = len(`\u{}`) + len(digits)
	switch {
	case !closed || err != nil:
	case s[1] == 'x' && n <= 0xff:
		return string([]byte{byte(n)}), length
	case s[1] == 'u' && utf8.ValidRune(rune(n)):
		return string(rune(n)), length
	}
	return `\`, 1
}
