//go:build cgo

package syntax

import "strings"

// hash covers the tokens of a node up to another, without comments and with the name left out wherever it stands as a token of its own.
func (r *reader) hash(whole, after node, name string) uint64 {
	h, last := uint64(fnvStart), r.cells[whole].start
	for n := whole; n < after; n++ {
		if r.flagged(n, isComment) {
			last, n = r.cells[n].end, r.cells[n].after-1
			continue
		}
		if r.flagged(n, isBlock) {
			h = hashCount(h, r.count(n))
		}
		if !r.leaf(n) && !r.flagged(n, isToken) {
			continue
		}
		// Some grammars have no node for plain text between others, as in a template.
		if c := r.cells[n]; last < c.start {
			if between := r.source[last:c.start]; strings.TrimSpace(between) != "" {
				h = hashToken(h, between)
			}
		}
		if text := r.text(n); text != name {
			h = hashToken(h, text)
		} else {
			h = hashToken(h, "")
		}
		last, n = r.cells[n].end, r.cells[n].after-1
	}
	return h
}

// count gives the number of a node's parts.
func (r *reader) count(n node) (count int) {
	for range r.parts(n) {
		count++
	}
	return count
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
