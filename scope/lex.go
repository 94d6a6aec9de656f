package scope

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// maxExpansions bounds the alternatives of one pattern.
	maxExpansions = 1024
	// maxTokens bounds what they hold together.
	maxTokens = 1 << 16
)

// expand multiplies the braces out, the first alternatives first, up to the next "," or "}" of this level.
// The braces are known to balance.
func expand(tokens []token) (out [][]token, rest []token, reason string) {
	out = [][]token{nil}
	size := 0
	for len(tokens) > 0 && tokens[0].kind != tokenComma && tokens[0].kind != tokenClose {
		if tokens[0].kind == tokenOpen {
			var tails [][]token
			if tails, tokens, reason = alternatives(tokens); reason != "" {
				return nil, nil, reason
			}
			if len(out)*len(tails) > maxExpansions {
				return nil, nil, tooMany()
			}
			out, size = product(out, tails)
		} else {
			for i := range out {
				out[i] = append(out[i], tokens[0])
			}
			size += len(out)
			tokens = tokens[1:]
		}
		if size > maxTokens {
			return nil, nil, tooMany()
		}
	}
	return out, tokens, ""
}

// alternatives are those of the braces that the tokens begin with, each expanded.
func alternatives(tokens []token) (all [][]token, rest []token, reason string) {
	for n := 1; ; n++ {
		var more [][]token
		if more, tokens, reason = expand(tokens[1:]); reason != "" {
			return nil, nil, reason
		}
		if all = append(all, more...); len(all) > maxExpansions {
			return nil, nil, tooMany()
		}
		switch {
		case tokens[0].kind == tokenComma:
		case n == 1:
			return nil, nil, `has braces around a single alternative; write {a,b} for a choice, "\{" for the character`
		default:
			return all, tokens[1:], ""
		}
	}
}

// product returns every head with every tail, none sharing memory with another, and their total length.
func product(heads, tails [][]token) (out [][]token, size int) {
	for _, h := range heads {
		for _, t := range tails {
			both := make([]token, 0, len(h)+len(t))
			out = append(out, append(append(both, h...), t...))
			size += len(h) + len(t)
		}
	}
	return out, size
}

func tooMany() string {
	return fmt.Sprintf("has too many brace alternatives, the limit is %d", maxExpansions)
}

type tokenKind uint8

const (
	tokenChar  tokenKind = iota // one character of token.class
	tokenStar                   // one "*"; what several mean is decided per segment
	tokenSlash                  //
	tokenOpen                   // "{"
	tokenComma                  // "," inside braces
	tokenClose                  // "}"
)

type token struct {
	kind  tokenKind
	plain rune // the character, if it was written as one and not as a class such as "[.]"
	class *class
}

// lexer cuts a pattern into tokens; its methods answer a reason of refusal, "" for none.
type lexer struct {
	in     []rune
	at     int
	depth  int // of braces
	tokens []token
}

// lex returns the tokens of a pattern, or the reason why it has none.
func lex(pattern string) ([]token, string) {
	if reason := checkCharacters(pattern); reason != "" {
		return nil, reason
	}
	x := &lexer{in: []rune(pattern)}
	for x.at < len(x.in) {
		if reason := x.next(); reason != "" {
			return nil, reason
		}
	}
	if x.depth > 0 {
		return nil, `has a "{" without "}"; write "\{" for the character`
	}
	return x.tokens, ""
}

func checkCharacters(pattern string) string {
	if !utf8.ValidString(pattern) {
		return "is not valid UTF-8"
	}
	for _, r := range pattern {
		switch {
		case unicode.IsControl(r):
			return fmt.Sprintf("contains the control character %U", r)
		case r == utf8.RuneError:
			return "contains U+FFFD, the mark of text that was decoded wrongly"
		}
	}
	return ""
}

func (x *lexer) next() string {
	r := x.in[x.at]
	x.at++
	switch {
	case r == '*':
		x.add(tokenStar, nil)
	case r == '/':
		x.add(tokenSlash, nil)
	case r == '?':
		x.add(tokenChar, anyChar())
	case r == '[':
		return x.class()
	case r == '{':
		x.depth++
		x.add(tokenOpen, nil)
	case r == ',' && x.depth > 0:
		x.add(tokenComma, nil)
	case r == '}' && x.depth == 0:
		return `has a "}" without "{"; write "\}" for the character`
	case r == '}':
		x.depth--
		x.add(tokenClose, nil)
	default:
		x.at--
		c, reason := x.char()
		x.tokens = append(x.tokens, token{kind: tokenChar, plain: c, class: literal(c)})
		return reason
	}
	return ""
}

func (x *lexer) add(kind tokenKind, c *class) {
	x.tokens = append(x.tokens, token{kind: kind, class: c})
}

// char reads one character, escaped or not. There must be one left.
func (x *lexer) char() (rune, string) {
	r := x.in[x.at]
	x.at++
	if r != '\\' {
		return r, ""
	}
	if x.at == len(x.in) {
		return r, `ends with a backslash; write "/" as separator`
	}
	r = x.in[x.at]
	x.at++
	if !escapable(r) {
		return r, fmt.Sprintf(`has a backslash before %q; write "/" as separator, a backslash only escapes a special character`, r)
	}
	return r, ""
}

const unclosedClass = `has a "[" without "]"; write "\[" for the character`

// class reads a bracket expression after its "[".
// As in the shell, "]" in first place and "-" at either end are characters.
func (x *lexer) class() string {
	negated := x.at < len(x.in) && (x.in[x.at] == '!' || x.in[x.at] == '^')
	if negated {
		x.at++
	}
	var spans []span
	for {
		if x.at == len(x.in) {
			return unclosedClass
		}
		if x.in[x.at] == ']' && len(spans) > 0 {
			x.at++
			break
		}
		s, reason := x.span()
		if reason != "" {
			return reason
		}
		spans = append(spans, s)
	}
	c, ok := newClass(negated, spans)
	if !ok {
		return "has a class of too many characters; use a single range"
	}
	x.add(tokenChar, c)
	return ""
}

// span reads one member of a class, a character or a range.
func (x *lexer) span() (span, string) {
	if x.in[x.at] == '[' && x.at+1 < len(x.in) && slices.Contains([]rune{':', '.', '='}, x.in[x.at+1]) {
		return span{}, `has a named class such as [:alpha:]; write its characters, such as [a-zA-Z]`
	}
	lo, reason := x.member()
	if reason != "" {
		return span{}, reason
	}
	if x.at+1 >= len(x.in) || x.in[x.at] != '-' || x.in[x.at+1] == ']' {
		return span{lo, lo}, ""
	}
	x.at++
	hi, reason := x.member()
	if reason == "" && hi < lo {
		reason = fmt.Sprintf("has the range %q, which runs backwards", string(lo)+"-"+string(hi))
	}
	return span{lo, hi}, reason
}

func (x *lexer) member() (rune, string) {
	r, reason := x.char()
	if reason == "" && r == '/' {
		reason = `has a "/" or no end in a class; a class stays inside a segment, and "\[" is the character`
	}
	return r, reason
}
