//go:build cgo

package syntax

import "strings"

// hash covers the tokens of a node up to another, without comments and descriptions and with the
// name left out wherever it stands as a token of its own.
func (r *reader) hash(whole, after node, name string) uint64 {
	h, last := uint64(fnvStart), r.cells[whole].start
	comma := false // one is waiting for what follows
	for n := whole; n < after; n++ {
		if r.flagged(n, isComment) || r.describes(n) {
			last, n = r.cells[n].end, r.cells[n].after-1
			continue
		}
		if r.flagged(n, isBlock) {
			h = hashCount(h, r.count(n))
		}
		if !r.leaf(n) && !r.flagged(n, isToken) {
			continue
		}
		text := r.text(n)
		if comma && !isClosing(text) {
			h = hashToken(h, ",")
		}
		// Some grammars have no node for plain text between others, as in a template.
		if start := r.cells[n].start; last < start && strings.TrimSpace(r.source[last:start]) != "" {
			h = hashToken(h, r.source[last:start])
		}
		if r.encloses(n, text) {
			last = r.cells[n].end
			continue
		}
		if text == name {
			text = ""
		}
		if comma = text == "," && !r.inTuple(n); !comma {
			h = hashToken(h, text)
		}
		last, n = r.cells[n].end, r.cells[n].after-1
	}
	return h
}

// encloses reports whether a token is a parenthesis around all that is given back or assigned,
// which lets it go over several lines.
func (r *reader) encloses(n node, token string) bool {
	if token != "(" && token != ")" {
		return false
	}
	up := r.parent(n)
	return r.is(up, "parenthesized_expression") &&
		r.is(r.parent(up), "return_statement", "assignment", "variable_declarator")
}

// isClosing reports whether a token is a bracket behind which a list ends. A comma in front of it
// is a matter of layout.
func isClosing(token string) bool { return token == ")" || token == "]" || token == "}" }

// inTuple reports whether a comma belongs to a tuple, in which even the last one counts.
func (r *reader) inTuple(comma node) bool { return strings.HasPrefix(r.kind(r.parent(comma)), "tuple") }

// count gives the number of a block's parts without its description.
func (r *reader) count(n node) (count int) {
	for part := range r.parts(n) {
		if !r.describes(part) {
			count++
		}
	}
	return count
}

// describes reports whether a node is the string in front of a body that tells readers what the definition is for.
func (r *reader) describes(n node) bool {
	if !r.flagged(n, isDoc) {
		return false
	}
	text, body := r.first(n), r.parent(n)
	return r.is(text, "string", "concatenated_string") && r.nextPart(text) == 0 && !r.has(text, "interpolation") &&
		r.first(body) == n && r.field(r.parent(body), "body") == body
}

// hashToken adds a token and an end to it, which no text has.
func hashToken(h uint64, token string) uint64 {
	for i := range len(token) {
		h = (h ^ uint64(token[i])) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime
}

func hashCount(h uint64, count int) uint64 {
	for ; count > 0; count >>= 7 {
		h = (h ^ uint64(count&0x7f)) * fnvPrime
	}
	return (h ^ 0xfe) * fnvPrime
}
