package manifest

import (
	"bytes"
	"delegate/internal/text/lazyregexp"
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

// What the lexer knows of Ruby is as much as people write in a Gemfile; anything else becomes single signs.
var (
	// rubyForm has groups for a string, a symbol, a word, and the words of a list in each sort of brackets.
	rubyForm = lazyregexp.New(`(?s)^(?:[ \t\r]+|\\\r?\n|#[^\n]*|` +
		`("(?:\\.|#\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^"\\])*"|'(?:\\.|[^'\\])*'|` + "`(?:\\\\.|[^`\\\\])*`" + `)|` +
		`:([\w\x{80}-\x{10ffff}]+)|([\w\x{80}-\x{10ffff}]+)|` +
		`%[wWiI](?:\[([^]]*)\]?|\(([^)]*)\)?|\{([^}]*)\}?|<([^>]*)>?)|=>|.)`)
	// rubyEscape is a backslash in a string, and an insertion, in which it stays.
	rubyEscape = lazyregexp.New(`(?s)(#\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})|\\(.)`)
	// rubyComment is what only begins at the beginning of a line and is no code.
	rubyComment = lazyregexp.New(`(?s)^(?:=begin.*?(?:\n=end[^\n]*|\z)|__END__.*)`)
	// rubyConflict is a line that git writes where two sides differ, and that could be an operation which goes on.
	rubyConflict = lazyregexp.New(`^(?:<<<<<<< |=======|>>>>>>> )`)
)

// rubyLexer cuts a Gemfile into tokens.
type rubyLexer struct {
	tokens []rubyToken
	blocks []bool // for each open brace, whether it opens a block and not a hash
	line   int
}

func (l *rubyLexer) add(kind rubyKind, text string) {
	l.tokens = append(l.tokens, rubyToken{kind, text, l.line})
}

func lexRuby(data []byte) ([]rubyToken, error) {
	l, lines := rubyLexer{}, lineCounter{data: data}
	for at := 0; at < len(data); {
		rest := data[at:]
		l.line = lines.at(at)
		if at == 0 || data[at-1] == '\n' {
			if rubyConflict.Compiled().Match(rest) {
				return nil, faultAt(l.line, "a merge left a conflict here")
			}
			if skipped := rubyComment.Compiled().Find(rest); skipped != nil {
				at += len(skipped)
				continue
			}
		}
		found := rubyForm.Compiled().FindSubmatchIndex(rest)
		at += found[1]
		label := at+1 < len(data) && data[at] == ':' && data[at+1] != ':'
		text := string(rest[:found[1]])
		switch {
		case found[2] >= 0 && label:
			l.add(rubyLabel, rubyEscape.ReplaceAllString(text[1:len(text)-1], "$1$2"))
			at++
		case found[2] >= 0:
			l.add(rubyText, rubyEscape.ReplaceAllString(text[1:len(text)-1], "$1$2"))
		case found[4] >= 0:
			l.add(rubySymbol, text[1:])
		case found[6] >= 0 && label:
			l.add(rubyLabel, text)
			at++
		case found[6] >= 0:
			l.add(rubyWord, text)
		case text[0] == '%' && len(text) > 1:
			l.list(strings.Fields(strings.TrimRight(text[3:], "])}>")))
		case strings.Contains("\"'`", text):
			return nil, faultAt(l.line, "a string has no end")
		case text == "\n" || text == ";":
			l.add(rubyBreak, "")
		case strings.Trim(text, " \t\r\n") != "" && text[0] != '#' && text[0] != '\\' || text == `\`:
			if l.mark(text); text != ")" && text != "]" {
				at += regularEnd(rest[found[1]:])
			}
		}
	}
	l.add(rubyBreak, "")
	return l.tokens, nil
}

// regularEnd is the end of a regular expression, in which quotes mean nothing, at the beginning of a text; 0 for none.
func regularEnd(text []byte) int {
	const longest = 200 // looking for the end may not take long
	start := len(text) - len(bytes.TrimLeft(text, " \t"))
	for at := start + 1; at < min(start+longest, len(text)) && text[start] == '/' && text[at] != '\n'; at++ {
		switch text[at] {
		case '\\':
			at++
		case '/':
			return at + 1
		}
	}
	return 0
}

// list adds the words of %w[a b] as ["a", "b"].
func (l *rubyLexer) list(words []string) {
	l.add(rubyMark, "[")
	for _, word := range words {
		l.add(rubyText, word)
		l.add(rubyMark, ",")
	}
	l.add(rubyMark, "]")
}

// mark adds one sign. The braces of a block become the words that mean the same.
func (l *rubyLexer) mark(text string) {
	switch last := len(l.blocks) - 1; {
	case text == "{":
		block := len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].is(rubyMark, ")")
		if l.blocks = append(l.blocks, block); block {
			l.add(rubyWord, "do")
			return
		}
	case text == "}" && last >= 0:
		block := l.blocks[last]
		if l.blocks = l.blocks[:last]; block {
			l.add(rubyWord, "end")
			return
		}
	}
	l.add(rubyMark, text)
}
