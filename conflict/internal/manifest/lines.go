package manifest

import (
	"bytes"
	"iter"
	"strings"
)

// textLine is a line of a file that is read line by line.
type textLine struct {
	number int
	indent int    // spaces before the text
	text   string // without white space around it
}

// textLines yields all lines.
func textLines(data []byte) iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			rest := bytes.TrimLeft(line, " ")
			text := string(bytes.TrimSpace(rest))
			if !yield(textLine{number, len(line) - len(rest), text}) {
				return
			}
		}
	}
}

// blockLines yields the lines of a lock file that is made of nested blocks, as npm's rivals write theirs:
// YAML of one shape, or what preceded it. A YAML parser would need minutes and gigabytes for the larger ones.
// Comments and document marks are left out, and a long key on a "? " line reads like any other.
func blockLines(data []byte) iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		for l := range textLines(data) {
			key, long := strings.CutPrefix(l.text, "? ")
			value, first := strings.CutPrefix(l.text, ": ")
			switch {
			case l.text == "", l.text[0] == '#', l.text == "---", l.text == ":":
				continue
			case long:
				l.text = key + ":"
			case first:
				l.text, l.indent = value, l.indent+2
			}
			if !yield(l) {
				return
			}
		}
	}
}

// keyValue splits "key: value" and `'key': value`; the value has no quotes around it either.
func (l textLine) keyValue() (key, value string, ok bool) {
	quote := l.text[0]
	if quote != '\'' && quote != '"' {
		key, value, ok = strings.Cut(l.text, ": ")
		if !ok {
			key, ok = strings.CutSuffix(l.text, ":")
		}
		return key, unquote(strings.TrimSpace(value)), ok
	}
	key, value, ok = strings.Cut(l.text[1:], string(quote)+":")
	return key, unquote(strings.TrimSpace(value)), ok
}

// unquote takes quotes away. Names and versions have no escapes in them.
func unquote(text string) string {
	if len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}
