package golang

import (
	"bytes"
	"go/ast"
	"go/token"
	"iter"

	"delegate/conflict/internal/lang"
)

// mostLocalTokens is how much of a Local's value its hash covers. Function literals inside of one another
// would otherwise be read once for each level.
const mostLocalTokens = 200

// hash says what a definition's hash covers.
type hash struct {
	word     string // the keyword or sign that declares it, be it written in front of it or of its group
	position int    // from 1, its place among others if that makes a difference
	name     string // the definition's own if what it covers may use it: left out wherever it stands for the definition
	receiver string // the receiver's name of a method, whose own name stands after it and a dot
	most     int    // tokens of each node to cover, 0 for all
}

// hash is the hash of a definition made of some parts of the tree, any of which may be missing.
func (g *fileReader) hash(of hash, parts ...ast.Node) uint64 {
	sum := addToken(lang.FnvStart, []byte(of.word))
	sum = (sum ^ uint64(of.position)) * lang.FnvPrime
	for _, part := range parts {
		sum = (sum ^ g.partHash(of, part)) * lang.FnvPrime
	}
	return sum
}

// partHash is the hash of one part of the tree. The definitions of one specification share parts,
// which may be long outside of functions, so each is read once there.
func (g *fileReader) partHash(of hash, part ast.Node) uint64 {
	switch {
	case part == nil:
		return 0
	case of.name != "" || of.most > 0:
		return of.sum(g.source(part))
	}
	sum, found := g.sums[part]
	if !found {
		sum = of.sum(g.source(part))
		g.sums[part] = sum
	}
	return sum
}

// sum is FNV-64a over the texts of tokens with a zero byte after each.
func (h hash) sum(source []byte) uint64 {
	blank, sum, n := []byte("_"), uint64(lang.FnvStart), 0
	var last, other []byte // the token before, and the one before that
	for text := range tokens(source) {
		if n++; h.most > 0 && n > h.most {
			break
		}
		selected := string(last) == "."
		ofReceiver := h.receiver != "" && string(other) == h.receiver
		other, last = last, text
		if string(text) == h.name && (!selected || ofReceiver) {
			text = blank
		}
		sum = addToken(sum, text)
	}
	return sum
}

// addToken goes on with a hash. The carriage returns of a raw string are no part of its value.
func addToken(sum uint64, text []byte) uint64 {
	for _, c := range text {
		if c != '\r' {
			sum = (sum ^ uint64(c)) * lang.FnvPrime
		}
	}
	return sum * lang.FnvPrime
}

// source is a part of the tree as it is written. Of broken code it may be any part of the file.
func (g *fileReader) source(node ast.Node) []byte {
	from, to := g.lines.offset(node.Pos()), g.lines.offset(node.End())
	return g.data[from:max(from, to)]
}

// mentions reports whether a name stands in a part of the tree.
func (g *fileReader) mentions(node ast.Node, name string) bool {
	for text := range tokens(g.source(node)) {
		if string(text) == name {
			return true
		}
	}
	return false
}

// tokens are the texts of tokens without comments and without what only layout asks for:
// a comma or semicolon in front of a closing bracket or at the very end. The end of a line that
// ends a statement is a semicolon.
// Signs come one by one, since their order says all.
// It does what go/scanner would, without making a string of each name.
func tokens(part []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		newline := []byte(";")
		var last, separator []byte
		for at := 0; at < len(part); {
			size, kind := tokenAt(part[at:])
			text := part[at : at+size]
			at += size
			switch {
			case kind == space, kind == readNewline && !endsStatement(last):
				continue
			case kind == readNewline:
				text = newline
			}
			if separator != nil && !closes(text) && !yield(separator) {
				return
			}
			separator, last = nil, text
			if text[0] == ';' || text[0] == ',' {
				separator = text
			} else if !yield(text) {
				return
			}
		}
	}
}

// closes reports whether a token is a closing bracket.
func closes(text []byte) bool { return text[0] == ')' || text[0] == ']' || text[0] == '}' }

// endsStatement reports whether the end of a line after a token is a semicolon.
func endsStatement(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch c := text[0]; {
	case isWordByte(c):
		switch word := token.Lookup(string(text)); word {
		case token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN:
			return true
		default:
			return !word.IsKeyword()
		}
	case c == '+', c == '-':
		return len(text) == 2
	default:
		return c == '"' || c == '`' || c == '\'' || closes(text)
	}
}

// tokenKind tells apart what separates tokens.
type tokenKind int

const (
	readText    tokenKind = iota // a token
	space                        // space or a comment
	readNewline                  // the end of a line, or a comment with one inside
)

// tokenAt is the length and kind of what a text begins with. Numbers with a dot or sign inside
// count as several tokens.
func tokenAt(text []byte) (size int, kind tokenKind) {
	switch c := text[0]; {
	case isWordByte(c):
		return sizeWhile(text, isWordByte), readText
	case isBlankByte(c):
		return sizeWhile(text, isBlankByte), space
	case c == '\n':
		return 1, readNewline
	case c == '"', c == '\'':
		return quotedSize(text), readText
	case c == '`':
		return upTo(text, 1, "`"), readText
	}
	if len(text) == 1 {
		return 1, readText
	}
	switch string(text[:2]) {
	case "//":
		return sizeWhile(text, func(c byte) bool { return c != '\n' }), space
	case "/*":
		size = upTo(text, 2, "*/")
		if bytes.IndexByte(text[:size], '\n') >= 0 {
			return size, readNewline
		}
		return size, space
	case "++", "--":
		return 2, readText
	}
	return 1, readText
}

// sizeWhile is the length of what a text begins with as far as its bytes are of a kind.
func sizeWhile(text []byte, is func(byte) bool) (size int) {
	for size < len(text) && is(text[size]) {
		size++
	}
	return size
}

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isWordByte reports whether a byte can be one of a name, a keyword or a number. All of a letter outside of ASCII are.
func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// quotedSize is the length of a string or rune literal, of one without an end up to the end of the line.
func quotedSize(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// upTo is the length of a text up to an end that is looked for from some place on, with the end.
func upTo(text []byte, from int, end string) int {
	if i := bytes.Index(text[from:], []byte(end)); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}
