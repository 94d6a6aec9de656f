package lang

import "unicode/utf8"

const (
	// MostFaults is how many faults of a file are listed; what follows the first few seldom says anything new.
	MostFaults = 10
	// LongestReason is how many bytes of a fault's reason are kept.
	LongestReason = 200
	// LongestPath is the length in bytes from which a qualifier counts as an Expression:
	// each of n selectors in one chain would repeat all before it, which takes memory of the order of n².
	LongestPath = 256
)

// LongestType is how many bytes of a type's text are made out before the rest of it is left out.
// The names of one list share their type: spelling a long one out for each takes time of the order of n².
const LongestType = 4096

// FnvStart and fnvPrime are the numbers of FNV-64a.
const (
	FnvStart = 14695981039346656037
	FnvPrime = 1099511628211
)

// FirstNotUTF8 is the offset of the first byte that is no part of UTF-8 text, -1 if there is none.
func FirstNotUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
