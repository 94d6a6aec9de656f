package registry

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value stands on one line, whatever it holds.
// Backslash escapes keep it from forging a field, a row, a heading or a comment:
//
//	<br>            a line end, as Markdown shows one; \n is read as well
//	\\  \r  \t         backslash and white space, a tab only at an end
//	\|                 in table cells
//	\,  \{  \}         in list items: a comma inside balanced braces does not separate, so that globs stay readable
//	\(  \)             around the name that ends an event's details
//	\#  \<             at the start of a value; before !-- and br>
//	\u{2028}  \xFF     control, line and direction characters; bytes that are no UTF-8
//
// A backslash before anything else stands for itself, so that hand-written text is read as it looks.

const lineEnd = "<br>"

const escapable = `\|,{}()#<`

func encode(s, also string) string {
	if plain(s, also) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case r == '\n':
			b.WriteString(lineEnd)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t' && (i == 0 || i == len(s)-1):
			b.WriteString(`\t`)
		case r == '\t':
			b.WriteByte('\t')
		case hidden(r), r == ' ' && (i == 0 || i == len(s)-1):
			fmt.Fprintf(&b, `\u{%X}`, r)
		case r == '\\', strings.ContainsRune(also, r), r == '#' && i == 0, strings.HasPrefix(s[i:], "<!--"),
			strings.HasPrefix(s[i:], lineEnd):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

func plain(s, also string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == '\\' || c == '<' || strings.IndexByte(also, c) >= 0 {
			return false
		}
	}
	return s == "" || s[0] != '#' && s[0] != ' ' && s[len(s)-1] != ' '
}

// hidden reports characters that could make a line look like another one, or break it in some editors. Joiners are
// part of a script's words.
func hidden(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cf) && r != zeroWidthNonJoiner &&
		r != zeroWidthJoiner && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func decode(s string) string {
	if strings.IndexByte(s, '\\') < 0 && !strings.Contains(s, lineEnd) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], lineEnd) {
			b.WriteByte('\n')
			i += len(lineEnd)
			continue
		}
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i += decodeOne(&b, s[i:])
	}
	return b.String()
}

// decodeOne reads the escape that s begins with and returns its length.
func decodeOne(b *strings.Builder, s string) int {
	switch c := s[1]; {
	case c == 'n':
		b.WriteByte('\n')
	case c == 'r':
		b.WriteByte('\r')
	case c == 't':
		b.WriteByte('\t')
	case strings.IndexByte(escapable, c) >= 0:
		b.WriteByte(c)
	case c == 'x' && len(s) >= 4:
		n, err := strconv.ParseUint(s[2:4], 16, 8)
		if err != nil {
			b.WriteByte('\\')
			return 1
		}
		b.WriteByte(byte(n))
		return 4
	case c == 'u' && len(s) >= 5 && s[2] == '{':
		digits, _, closed := strings.Cut(s[3:], "}")
		n, err := strconv.ParseUint(digits, 16, 31)
		if !closed || err != nil || !utf8.ValidRune(rune(n)) {
			b.WriteByte('\\')
			return 1
		}
		b.WriteRune(rune(n))
		return len(`\u{}`) + len(digits)
	default:
		b.WriteByte('\\')
		return 1
	}
	return 2
}

// encodeList drops empty items: they mean nothing in a list.
func encodeList(items []string) string {
	var out []string
	for _, item := range items {
		if item != "" {
			out = append(out, bare(item))
		}
	}
	return strings.Join(out, ", ")
}

// bare is an item without backticks, as those around one are not part of it.
func bare(item string) string { return strings.ReplaceAll(encodeItem(item), "`", `\u{60}`) }

// encodeCode is encodeList with each item in backticks; an item with a backtick of its own has none.
func encodeCode(items []string) string {
	var out []string
	for _, item := range items {
		switch {
		case item == "":
		case strings.Contains(item, "`"):
			out = append(out, bare(item))
		default:
			out = append(out, "`"+encodeItem(item)+"`")
		}
	}
	return strings.Join(out, ", ")
}

func encodeItem(item string) string {
	if !balanced(item) {
		return encode(item, ",{}")
	}
	var b strings.Builder
	depth, from := 0, 0
	for i := 0; i < len(item); i++ {
		switch item[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				b.WriteString(encode(item[from:i], "") + `\,`)
				from = i + 1
			}
		}
	}
	b.WriteString(encode(item[from:], ""))
	return b.String()
}

func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

func decodeList(s string) []string {
	grouped := balancedRaw(s)
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			item := trim(s[from:i])
			if inner := len(item) - 1; inner > 1 && item[0] == '`' && item[inner] == '`' {
				item = item[1:inner]
			}
			if item = decode(item); item != "" {
				out = append(out, item)
			}
			from = i + 1
		case s[i] == '\\':
			i = min(i+1, len(s)-1)
		case s[i] == '{' && grouped:
			depth++
		case s[i] == '}' && grouped:
			depth--
		}
	}
	return out
}

// balancedRaw looks at braces that are not escaped.
func balancedRaw(s string) bool {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return balanced(b.String())
}

// encodeDetails prints an event's details and the name of who decided as one table cell.
func encodeDetails(details, by string) string {
	cell := encode(details, "|")
	if by != "" {
		return trim(cell + " (by " + encode(by, "|()") + ")")
	}
	for at, _ := byAt(cell); at >= 0; at, _ = byAt(cell) {
		cell = cell[:at] + `\` + cell[at:]
	}
	return cell
}

func decodeDetails(cell string) (details, by string) {
	at, name := byAt(cell)
	if at < 0 {
		return decode(cell), ""
	}
	return decode(trim(cell[:at])), decode(name)
}

// byAt finds the "(by NAME)" that ends a cell: where it begins, or -1, and the raw name, which has
// no plain parentheses.
func byAt(cell string) (int, string) {
	at := strings.LastIndex(cell, "(by ")
	for at > 0 && cell[at-1] == '\\' {
		at = strings.LastIndex(cell[:at], "(by ")
	}
	if at < 0 || !strings.HasSuffix(cell, ")") || at > 0 && cell[at-1] != ' ' {
		return -1, ""
	}
	name := cell[at+len("(by ") : len(cell)-1]
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
			if i == len(name) {
				return -1, "" // the closing parenthesis is an escaped one
			}
		case '(', ')':
			return -1, ""
		}
	}
	if trim(name) == "" {
		return -1, ""
	}
	return at, name
}

// trim cuts blanks only: other white space is data.
func trim(s string) string { return strings.Trim(s, " \t") }
