// Package spelling finds the known word that a mistyped one was meant to be.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest is the known word that is at most two letters from the written one, whatever the case of
// its letters, or that the written one is the beginning of; "" if there is none.
func Nearest(written string, known []string) string {
	near := byDistance(written, known)
	if len(near) == 0 {
		return ""
	}
	if d := away(written, near[0]); d > 2 || d >= len(near[0]) && d > 0 { // another word, not a mistake in this one
		return ""
	}
	return near[0]
}

// byDistance returns the known words, those nearest to the written one first.
func byDistance(written string, known []string) []string {
	return slices.SortedStableFunc(slices.Values(known), func(x, y string) int {
		return cmp.Compare(away(written, x), away(written, y))
	})
}

func away(written, word string) int {
	written, word = strings.ToLower(written), strings.ToLower(word)
	if len(written) > 2 && strings.HasPrefix(word, written) {
		return 0
	}
	return Distance(written, word)
}

// Distance is the number of letters to insert, remove or replace between a and b, at most about 30.
func Distance(a, b string) int {
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return 30
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
