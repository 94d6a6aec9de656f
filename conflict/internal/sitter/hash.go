//go:build cgo

package sitter

import (
	"hash"
	"hash/fnv"
	"io"
	"strings"
)

// hash covers the tokens of a node up to another, without comments and descriptions and with the
// name left out wherever it stands as a token of its own.
func (r *Reader) hash(whole, after Node, name string) uint64 {
	h, last := fnv.New64a(), r.Cells[whole].Start
	comma := false // one is waiting for what follows
	for n := whole; n < after; n++ {
		if r.Flagged(n, IsComment) || r.describes(n) {
			last, n = r.Cells[n].End, r.Cells[n].After-1
			continue
		}
		if r.Flagged(n, isBlock) {
			addCount(h, r.count(n))
		}
		if !r.Leaf(n) && !r.Flagged(n, isToken) {
			continue
		}
		text := r.Text(n)
		if comma && !isClosing(text) {
			addToken(h, ",")
		}
		// Some grammars have no node for plain text between others, as in a template.
		if start := r.Cells[n].Start; last < start && strings.TrimSpace(r.Source[last:start]) != "" {
			addToken(h, r.Source[last:start])
		}
		if r.encloses(n, text) {
			last = r.Cells[n].End
			continue
		}
		if text == name {
			text = ""
		}
		if comma = text == "," && !r.inTuple(n); !comma {
			addToken(h, text)
		}
		last, n = r.Cells[n].End, r.Cells[n].After-1
	}
	return h.Sum64()
}

// encloses reports whether a token is a parenthesis around all that is given back or assigned,
// which lets it go over several lines.
func (r *Reader) encloses(n Node, token string) bool {
	if token != "(" && token != ")" {
		return false
	}
	up := r.Parent(n)
	return r.Is(up, "parenthesized_expression") &&
		r.Is(r.Parent(up), "return_statement", "assignment", "variable_declarator")
}

// isClosing reports whether a token is a bracket behind which a list ends. A comma in front of it
// is a matter of layout.
func isClosing(token string) bool { return token == ")" || token == "]" || token == "}" }

// inTuple reports whether a comma belongs to a tuple, in which even the last one counts.
func (r *Reader) inTuple(comma Node) bool { return strings.HasPrefix(r.Kind(r.Parent(comma)), "tuple") }

// count gives the number of a block's parts without its description.
func (r *Reader) count(n Node) (count int) {
	for part := range r.Parts(n) {
		if !r.describes(part) {
			count++
		}
	}
	return count
}

// describes reports whether a node is the string in front of a body that tells readers what the definition is for.
func (r *Reader) describes(n Node) bool {
	if !r.Flagged(n, isDoc) {
		return false
	}
	text, body := r.First(n), r.Parent(n)
	return r.Is(text, "string", "concatenated_string") && r.NextPart(text) == 0 && !r.Has(text, "interpolation") &&
		r.First(body) == n && r.Field(r.Parent(body), "body") == body
}

// addToken adds a token and an end to it, which no text has.
func addToken(h hash.Hash, token string) {
	_, _ = io.WriteString(h, token)
	_, _ = h.Write([]byte{0xff})
}

func addCount(h hash.Hash, count int) {
	for ; count > 0; count >>= 7 {
		_, _ = h.Write([]byte{byte(count & 0x7f)})
	}
	_, _ = h.Write([]byte{0xfe})
}
