package manifest

import (
	"bytes"
	"strings"
)

type rubyKind int

const (
	rubyWord   rubyKind = iota
	rubyLabel           // group: without the colon
	rubySymbol          // :test without the colon
	rubyText            // a string without quotes
	rubyMark            // one sign, or =>
	rubyBreak           // the end of a line, or a semicolon
)

type rubyToken struct {
	kind rubyKind
	text string
	line int
}

func (t rubyToken) is(kind rubyKind, text string) bool { return t.kind == kind && t.text == text }

// rubyLexer cuts a Gemfile into tokens. It knows as much of Ruby as people write there; anything
// else becomes single signs.
type rubyLexer struct {
	data   []byte
	at     int
	lines  lineCounter
	tokens []rubyToken
	blocks []bool // for each open brace, whether it opens a block and not a hash
}

func lexRuby(data []byte) ([]rubyToken, error) {
	l := rubyLexer{data: data, lines: lineCounter{data: data}}
	for l.at < len(data) {
		if err := l.next(); err != nil {
			return nil, err
		}
	}
	l.add(rubyBreak, "")
	return l.tokens, nil
}

func (l *rubyLexer) add(kind rubyKind, text string) {
	l.tokens = append(l.tokens, rubyToken{kind, text, l.lines.at(l.at)})
}

// last is the token before; a break at the beginning of the file.
func (l *rubyLexer) last() rubyToken {
	if len(l.tokens) == 0 {
		return rubyToken{kind: rubyBreak}
	}
	return l.tokens[len(l.tokens)-1]
}

// peek returns the byte at an offset from here, 0 behind the end.
func (l *rubyLexer) peek(offset int) byte {
	if l.at+offset >= len(l.data) {
		return 0
	}
	return l.data[l.at+offset]
}

func (l *rubyLexer) startsLine() bool { return l.at == 0 || l.data[l.at-1] == '\n' }

func (l *rubyLexer) next() error {
	c, rest := l.peek(0), l.data[l.at:]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.at++
	case c == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r' && l.peek(2) == '\n'):
		l.at += bytes.IndexByte(rest, '\n') + 1
	case l.startsLine() && isConflictMarker(rest):
		return faultAt(l.lines.at(l.at), "a merge left a conflict here")
	case c == '\n' || c == ';':
		l.add(rubyBreak, "")
		l.at++
	case c == '#':
		l.skipTo([]byte("\n"))
	case l.startsLine() && bytes.HasPrefix(rest, []byte("=begin")):
		l.skipTo([]byte("\n=end"))
		l.at++
		l.skipTo([]byte("\n"))
	case l.startsLine() && bytes.HasPrefix(rest, []byte("__END__")):
		l.at = len(l.data)
	case c == '"' || c == '\'' || c == '`':
		return l.quoted()
	case c == ':' && isRubyLetter(l.peek(1)):
		l.at++
		l.word(rubySymbol)
	case isRubyLetter(c):
		l.word(rubyWord)
	case c == '%' && bytes.IndexByte([]byte("wWiI"), l.peek(1)) >= 0 && bytes.IndexByte([]byte("[({<"), l.peek(2)) >= 0:
		l.words()
	case c == '/' && l.regular():
	default:
		l.mark()
	}
	return nil
}

// isConflictMarker reports whether the text begins with a line that git writes where two sides differ.
// Ruby's parser would stop there; the lexer would take it for an operation that goes on.
func isConflictMarker(text []byte) bool {
	for _, mark := range []string{"<<<<<<< ", "=======", ">>>>>>> "} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// skipTo goes to the next place of the text, or to the end.
func (l *rubyLexer) skipTo(text []byte) {
	rest := l.data[min(l.at, len(l.data)):]
	if end := bytes.Index(rest, text); end >= 0 {
		rest = rest[end:]
	} else {
		rest = nil
	}
	l.at = len(l.data) - len(rest)
}

func isRubyLetter(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

// quoted reads a string. In front of a colon it is a label.
func (l *rubyLexer) quoted() error {
	line, quote, kind := l.lines.at(l.at), l.peek(0), rubyText
	var text []byte
	for l.at++; l.at < len(l.data) && l.peek(0) != quote; l.at++ {
		switch {
		case l.peek(0) == '\\':
			l.at++
		case quote == '"' && l.peek(0) == '#' && l.peek(1) == '{':
			text = append(text, l.insertion()...)
		}
		text = append(text, l.peek(0))
	}
	if l.at >= len(l.data) {
		return faultAt(line, "a string has no end")
	}
	l.at++
	if l.peek(0) == ':' && l.peek(1) != ':' {
		kind = rubyLabel
		l.at++
	}
	l.tokens = append(l.tokens, rubyToken{kind, string(text), line})
	return nil
}

// insertion goes from the sign # of #{…} to its closing brace and returns what stands in front of that.
func (l *rubyLexer) insertion() []byte {
	start, depth := l.at, 0
	for ; l.at < len(l.data); l.at++ {
		switch l.peek(0) {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return l.data[start:l.at]
			}
		}
	}
	return nil
}

// word reads a word or a symbol.
func (l *rubyLexer) word(kind rubyKind) {
	start := l.at
	for isRubyLetter(l.peek(0)) {
		l.at++
	}
	text := string(l.data[start:l.at])
	if kind == rubyWord && l.peek(0) == ':' && l.peek(1) != ':' {
		kind = rubyLabel
		l.at++
	}
	l.add(kind, text)
}

// words reads %w[a b] as ["a", "b"].
func (l *rubyLexer) words() {
	open := l.peek(2)
	closing := map[byte]byte{'[': ']', '(': ')', '{': '}', '<': '>'}[open]
	l.add(rubyMark, "[")
	l.at += 3
	start := l.at
	l.skipTo([]byte{closing})
	for _, word := range strings.Fields(string(l.data[start:l.at])) {
		l.add(rubyText, word)
		l.add(rubyMark, ",")
	}
	l.add(rubyMark, "]")
	l.at++
}

// regular skips a regular expression, in which quotes mean nothing. A slash behind a value divides.
func (l *rubyLexer) regular() bool {
	const longest = 200
	if last := l.last(); last.kind != rubyBreak && (last.kind != rubyMark || last.text == ")" || last.text == "]") {
		return false
	}
	for offset := 1; offset < longest && l.peek(offset) != '\n'; offset++ {
		switch l.peek(offset) {
		case '\\':
			offset++
		case '/':
			l.at += offset + 1
			return true
		}
	}
	return false
}

// mark reads one sign. The braces of a block become the words that mean the same.
func (l *rubyLexer) mark() {
	text := string(l.peek(0))
	switch {
	case text == "=" && l.peek(1) == '>':
		text = "=>"
	case text == "{":
		block := l.last().is(rubyMark, ")")
		if l.blocks = append(l.blocks, block); block {
			l.add(rubyWord, "do")
			l.at++
			return
		}
	case text == "}" && len(l.blocks) > 0:
		block := l.blocks[len(l.blocks)-1]
		if l.blocks = l.blocks[:len(l.blocks)-1]; block {
			l.add(rubyWord, "end")
			l.at++
			return
		}
	}
	l.add(rubyMark, text)
	l.at += len(text)
}
