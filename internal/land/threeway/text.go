package threeway

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/git"
)

// marked is a text in which places that both sides changed stand between markers, with the base between them.
type marked struct {
	parts []part
	hunks int
	size  int // of a marker, in characters: more than any line of the sides begins with just so many of
	end   string
}

// part is text that is merged, or a place in conflict.
type part struct {
	plain              string
	ours, base, theirs string
	clash              bool
}

// mark merges three texts.
func mark(ctx context.Context, repo *git.Repo, sides [3][]byte) (marked, error) {
	m := marked{size: markerSize(sides[:]...)}
	data, hunks, err := repo.MergeFile(ctx,
		git.FileMerge{Sides: sides, Marker: m.size})
	if err != nil {
		return marked{}, err
	}
	m.split(string(data))
	if (hunks == 0) != (m.hunks == 0) {
		return marked{}, nil // not what was asked for: no text to work with
	}
	return m, nil
}

// markerSize is the smallest size of markers that no line of the texts can be taken for.
func markerSize(texts ...[]byte) int {
	taken := map[int]bool{}
	for _, text := range texts {
		for line := range bytes.Lines(text) {
			if n := runLength(line); n > 0 {
				taken[n] = true
			}
		}
	}
	size := usualMarker
	for taken[size] {
		size++
	}
	return size
}

// usualMarker is how long git's conflict markers are where nothing else is asked for.
const usualMarker = 7

// runLength is how often a line begins with one of the characters of markers.
func runLength(line []byte) int {
	if len(line) == 0 || !strings.ContainsRune("<|=>", rune(line[0])) {
		return 0
	}
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

// split takes the merged text apart at its markers.
func (m *marked) split(text string) {
	var at part
	to := &at.plain
	for line := range strings.Lines(text) {
		if runLength([]byte(line)) != m.size {
			*to += line
			continue
		}
		switch line[0] {
		case '<':
			if at.plain != "" {
				m.parts = append(m.parts, at)
			}
			at = part{clash: true}
			to = &at.ours
			m.end = lineEnd(line)
		case '|':
			to = &at.base
		case '=':
			to = &at.theirs
		case '>':
			m.parts = append(m.parts, at)
			m.hunks++
			at = part{}
			to = &at.plain
		}
	}
	if at.plain != "" {
		m.parts = append(m.parts, at)
	}
}

// lineEnd is how a line ends, by which files from Windows are known.
func lineEnd(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// write puts the text together again with names at the markers.
func (m marked) write(ours, base, theirs string) []byte {
	var b strings.Builder
	line := func(c, name string) {
		b.WriteString(strings.TrimRight(strings.Repeat(c, m.size)+" "+name, " ") + m.end)
	}
	for _, p := range m.parts {
		b.WriteString(p.plain)
		if !p.clash {
			continue
		}
		line("<", ours)
		b.WriteString(p.ours)
		line("|", base)
		b.WriteString(p.base)
		line("=", "")
		b.WriteString(p.theirs)
		line(">", theirs)
	}
	return []byte(b.String())
}

// normal is the text as it is whichever side is merged into which: without names, the sides of each
// place in alphabetical order.
func (m marked) normal() []byte {
	sorted := m
	sorted.parts = slices.Clone(m.parts)
	for i, p := range sorted.parts {
		sorted.parts[i].ours, sorted.parts[i].theirs = min(p.ours, p.theirs), max(p.ours, p.theirs)
	}
	return sorted.write("", "", "")
}

// key names the lines in conflict, wherever in a text they stand; "" if there are none.
func (m marked) key() string {
	all := []string{strconv.Itoa(m.size)}
	for _, p := range m.parts {
		if p.clash {
			all = append(all, min(p.ours, p.theirs), p.base, max(p.ours, p.theirs))
		}
	}
	if len(all) == 1 {
		return ""
	}
	return hashed(all...)
}

// Marked is the file with conflict markers, the base shown between them, and the sides' names
// beside them; nil if it is no text. Where no line clashes there is no marker in it.
func (c Clash) Marked(ours, theirs string) []byte {
	if !c.Textual() {
		return nil
	}
	return c.text.write(ours, "base", theirs)
}

// Hunk is one place of a file in which both sides changed the same lines.
type Hunk struct {
	Ours, Base, Theirs string
	// OurLine and TheirLine are where the lines begin in the file of that side, from 1; 0 where it has none there.
	OurLine, TheirLine int
}

// Hunks are the places in conflict, from top to bottom.
func (c Clash) Hunks() []Hunk {
	var all []Hunk
	ours, theirs := finder{string(c.sides[OurSide]), 1}, finder{string(c.sides[TheirSide]), 1}
	for _, p := range c.text.parts {
		if p.clash {
			all = append(all, Hunk{Ours: p.ours, Base: p.base, Theirs: p.theirs, OurLine: ours.find(p.ours),
				TheirLine: theirs.find(p.theirs)})
		}
	}
	return all
}

// finder looks for pieces of a text in their order.
type finder struct {
	rest string
	line int
}

func (f *finder) find(piece string) int {
	piece = strings.TrimRight(piece, "\r\n") // the last line of a file may lack its end
	if piece == "" {
		return 0
	}
	at := strings.Index("\n"+f.rest, "\n"+piece)
	if at < 0 {
		return 0
	}
	line := f.line + strings.Count(f.rest[:at], "\n")
	f.line = line + strings.Count(piece, "\n")
	f.rest = f.rest[at+len(piece):]
	return line
}

// Leftover finds the first line of what a person made of this clash that is a conflict marker, counted from 1. Lines
// that stand in one of the sides just so are content: a line of equals signs underlines headings.
func (c Clash) Leftover(data []byte) (line int, found bool) {
	return leftover(data, max(c.text.size, usualMarker), c.sides[:])
}

func leftover(data []byte, size int, sides [][]byte) (line int, found bool) {
	content := map[string]bool{}
	for _, side := range sides {
		for text := range bytes.Lines(side) {
			if isMarker(text, size) {
				content[string(bytes.TrimRight(text, "\r\n"))] = true
			}
		}
	}
	for text := range bytes.Lines(data) {
		line++
		if isMarker(text, size) && !content[string(bytes.TrimRight(text, "\r\n"))] {
			return line, true
		}
	}
	return 0, false
}

// isMarker reports whether a line looks like a marker: seven or more of its character, then a blank or nothing;
// of equals signs just so many as the markers in question have, and nothing.
func isMarker(line []byte, size int) bool {
	n := runLength(line)
	rest := bytes.TrimRight(line[n:], "\r\n")
	switch {
	case n < usualMarker:
		return false
	case line[0] == '=':
		return n == size && len(rest) == 0
	}
	return len(rest) == 0 || rest[0] == ' '
}
