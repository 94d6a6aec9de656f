package checkpoint

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	blanks = " \t"
	indent = " \t>"
	// emphasis holds the Markdown marks that may stand around a name.
	emphasis = "*_`"
)

const bom = '\ufeff'

// clean returns the line as a reader of a terminal would see it, as valid UTF-8 without control characters.
// It is idempotent, which the round trip of a block relies on.
// The result is the line itself, or lies in scratch, which is returned for the next call.
func clean(line, scratch []byte) (text, grown []byte) {
	if !noisy(line) {
		return bytes.TrimRight(line, blanks), scratch
	}
	plain := dropControls(line, scratch[:0])
	if bytes.IndexByte(plain, 0xc2) < 0 && bytes.IndexByte(plain, 0xef) < 0 && utf8.Valid(plain) {
		return bytes.TrimRight(plain, blanks), plain
	}
	// A second pass over runes: dropping a byte sequence may have joined others to a rune that counts.
	start := len(plain)
	for i := 0; i < start; {
		r, n := utf8.DecodeRune(plain[i:start])
		i += n
		switch {
		case r == bom, r >= 0x80 && r < 0xa0:
		case r == '\u00a0':
			plain = append(plain, ' ')
		default:
			plain = utf8.AppendRune(plain, r)
		}
	}
	return bytes.TrimRight(plain[start:], blanks), plain
}

func noisy(line []byte) bool {
	high := false
	for _, c := range line {
		switch {
		case c < 0x20 && c != '\t', c == 0x7f, c == 0xc2, c == 0xef:
			return true
		case c >= 0x80:
			high = true
		}
	}
	return high && !utf8.Valid(line)
}

func dropControls(line, out []byte) []byte {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == 0x1b:
			n, moves := escapeLen(line[i:])
			if moves {
				out = append(out, ' ')
			}
			i += n
		case c < 0x20 && c != '\t', c == 0x7f:
			i++
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// escapeLen measures the terminal sequence at the start of s.
// A sequence never outlives its line, so that one without its end cannot swallow a stream.
// moves is true for "cursor forward", which some programs print in place of spaces.
func escapeLen(s []byte) (n int, moves bool) {
	if len(s) < 2 {
		return len(s), false
	}
	switch s[1] {
	case '[':
		i := 2
		for i < len(s) && s[i] >= 0x20 && s[i] < 0x40 {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
			return i + 1, s[i] == 'C'
		}
		return i, false
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1, false
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2, false
			}
		}
		return len(s), false
	}
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x30 {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] < 0x7f {
		i++
	}
	return i, false
}

// ruleOf returns the character that a rule line is made of, or 0 for any other line.
func ruleOf(text []byte) rune {
	t := bytes.TrimRight(bytes.TrimLeft(text, indent), blanks)
	if r := repeated(t); r != 0 {
		return r
	}
	inner := bytes.Trim(t, emphasis+"# \t")
	if len(inner) == len(t) {
		return 0
	}
	return repeated(inner)
}

func repeated(t []byte) rune {
	r, n := utf8.DecodeRune(t)
	switch r {
	case '═', '=', '─', '━', '-', '_', '*', '~', '#':
	default:
		return 0
	}
	if len(t) < 3*n || len(t)%n != 0 {
		return 0
	}
	for i := n; i < len(t); i += n {
		if !bytes.Equal(t[i:i+n], t[:n]) {
			return 0
		}
	}
	return r
}

// headerID reports whether the line is a header's middle line, and what it gives as the id.
// A sentence that goes on after the colon is prose, unless it begins with something like an id or a placeholder.
func headerID(text []byte) (id string, ok bool) {
	t := bytes.TrimLeft(text, indent+emphasis+"#")
	if !bytes.HasPrefix(t, []byte(headerWords)) {
		return "", false
	}
	t = bytes.TrimLeft(t[len(headerWords):], blanks+emphasis)
	if len(t) == 0 || t[0] != ':' {
		return "", false
	}
	id = string(bytes.Trim(t[1:], blanks+emphasis+"#"))
	if strings.ContainsAny(id, blanks) && !strings.HasPrefix(id, "AGT-") && strings.IndexAny(id, "[<{") != 0 {
		return "", false
	}
	return id, true
}

// ordinary is the cheap filter for lines outside blocks:
// true only if the line can be neither a rule nor a header, whatever noise is in it.
func ordinary(line []byte) bool {
	for i, c := range line {
		switch c {
		case ' ', '\t', '>', '*', '_', '`', '#', '-', '=', '~':
			continue
		case 'A':
			return i+1 < len(line) && line[i+1] >= 0x20 && line[i+1] < 0x7f && line[i+1] != 'G' && !mayHang(line)
		}
		return c >= 0x20 && c < 0x7f && !mayHang(line)
	}
	return len(line) == 0
}

// hanging is the end of a rule that was printed behind something else, such as a row of dots that shows progress.
// Only the canonical character counts there: the others are in too much prose.
var hanging = []byte("════════")

func hangs(line []byte) bool { return bytes.HasSuffix(bytes.TrimRight(line, " \t\r\n"), hanging) }

// mayHang looks for the byte with which each character of a hanging rule begins, since noise may stand between and
// behind them.
func mayHang(line []byte) bool { return bytes.IndexByte(line, hanging[0]) >= 0 }

func onlyIndent(text []byte) bool { return len(bytes.Trim(text, indent)) == 0 }

// label is a line read as a heading or a "Key: value" field.
type label struct {
	level      int // of the Markdown heading, 0 for none
	key, value string
	emphasised bool
}

func labelOf(line string) label {
	var l label
	s := strings.Trim(strings.TrimLeft(line, indent), blanks)
	for l.level < len(s) && s[l.level] == '#' {
		l.level++
	}
	if l.level > 6 || (l.level > 0 && l.level < len(s) && !strings.ContainsRune(blanks+emphasis, rune(s[l.level]))) {
		l.level = 0
	}
	s = strings.Trim(s[l.level:], blanks)
	if l.level > 0 {
		// A closing run of # belongs to the heading only behind a blank: "C#" is a word.
		if t := strings.TrimRight(s, "#"); t == "" || strings.ContainsRune(blanks, rune(t[len(t)-1])) {
			s = strings.TrimRight(t, blanks)
		}
	}
	rest := strings.TrimLeft(s, emphasis)
	opening := s[:len(s)-len(rest)]
	l.emphasised = opening != ""
	key, value, _ := strings.Cut(rest, ":")
	l.key = strings.ToLower(strings.TrimRight(key, emphasis+blanks))
	value = strings.Trim(value, blanks)
	if l.emphasised && len(strings.TrimRight(key, emphasis)) == len(key) {
		// The mark that opened before the key closes behind the colon, or at the end.
		if cut, found := strings.CutPrefix(value, opening); found {
			value = cut
		} else {
			value = strings.TrimSuffix(value, opening)
		}
	}
	l.value = strings.Trim(value, blanks)
	return l
}

// unbullet takes off one list mark.
func unbullet(s string) string {
	s = strings.TrimLeft(s, blanks)
	for _, mark := range []string{"- ", "* ", "+ ", "• "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return strings.Trim(rest, blanks)
		}
	}
	return s
}

func fence(s string) bool {
	return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~")
}
