package golang

import (
	"go/ast"
	"go/scanner"
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
	sum := addToken(lang.FnvStart, of.word)
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
	sum, n := uint64(lang.FnvStart), 0
	var last, other string // the token before, and the one before that
	for text := range tokens(source) {
		if n++; h.most > 0 && n > h.most {
			break
		}
		selected := last == "."
		ofReceiver := h.receiver != "" && other == h.receiver
		other, last = last, text
		if text == h.name && (!selected || ofReceiver) {
			text = "_"
		}
		sum = addToken(sum, text)
	}
	return sum
}

// addToken goes on with a hash. The carriage returns of a raw string are no part of its value.
func addToken(sum uint64, text string) uint64 {
	for i := range len(text) {
		if c := text[i]; c != '\r' {
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
		if text == name {
			return true
		}
	}
	return false
}

// tokens are the texts of tokens without comments and without what only layout asks for: a comma or
// semicolon in front of a closing bracket or at the very end. The end of a line that ends a statement
// is a semicolon.
func tokens(part []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		file := token.NewFileSet().AddFile("", -1, len(part))
		var s scanner.Scanner
		s.Init(file, part, nil, 0)
		separator := ""
		for {
			_, kind, text := s.Scan()
			switch kind {
			case token.EOF:
				return
			case token.COMMA, token.SEMICOLON:
				if separator != "" && !yield(separator) {
					return
				}
				separator = kind.String()
				continue
			case token.RPAREN, token.RBRACK, token.RBRACE:
				separator = ""
			}
			if separator != "" && !yield(separator) {
				return
			}
			separator = ""
			if text == "" {
				text = kind.String()
			}
			if !yield(text) {
				return
			}
		}
	}
}
