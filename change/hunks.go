package change

import "strings"

// Hunk is one place where two versions of a file differ, without context.
// Lines count from 1.
// A side that has no lines there has a length of 0,
// and its start is the line before which the other side's lines would go
// (one more than the number of lines, at the end of the file).
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
}

// Hunks returns the line ranges that differ, in order, with at least one common line between two of them.
// It treats both versions as text; ask IsBinary first.
func Hunks(old, new []byte) []Hunk {
	return compareLines(splitLines(old), splitLines(new))
}

// Count returns the number of lines added and removed, and zeroes if either version is binary.
func Count(old, new []byte) (ins, del int) {
	if IsBinary(old) || IsBinary(new) {
		return 0, 0
	}
	for _, h := range Hunks(old, new) {
		ins += h.NewLines
		del += h.OldLines
	}
	return ins, del
}

// splitLines cuts the data after each newline, so that joining the lines gives the data back.
func splitLines(data []byte) []string {
	text := string(data)
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// compareLines aligns two lists of lines.
func compareLines(old, new []string) []Hunk {
	a := newAligner(old, new)
	a.align(positions(len(old)), positions(len(new)))
	return a.hunks()
}

// positions returns 0, 1, …, n-1.
func positions(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}
