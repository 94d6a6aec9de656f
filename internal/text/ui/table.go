package ui

import (
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/internal/text/lazyregexp"

	"golang.org/x/text/width"
)

// byColour cuts text into the colours and what is between them.
func byColour(text string) func(yield func(part string, isColour bool) bool) {
	return func(yield func(string, bool) bool) {
		at := 0
		if strings.IndexByte(text, escape) < 0 { // mostly, and screens are drawn often
			yield(text, false)
			return
		}
		for _, m := range colour.FindAllStringIndex(text, -1) {
			if !yield(text[at:m[0]], false) || !yield(text[m[0]:m[1]], true) {
				return
			}
			at = m[1]
		}
		yield(text[at:], false)
	}
}

// colour matches a graphic rendition, the one escape sequence that moves nothing.
var colour = lazyregexp.New("\x1b\\[[0-9;]*m")

// Grapheme is what a terminal shows in one place: a character with the marks on it, or several that are drawn as one.
// A colour is a letter as well, without columns.
type Grapheme struct {
	Text string
	// Columns is how wide it is, 0 to 2.
	Columns int
	// Doubtful says that terminals do not agree about its width: some join its characters, some put them side by side.
	Doubtful bool
}

// maxGraphemeSize is how many bytes are taken for one letter; more marks than that are no writing.
const maxGraphemeSize = 64

// widest is how many columns a letter has at most.
const widest = 2

// Graphemes goes through a text as it is shown, from left to right. Together they are the text.
func Graphemes(text string) iter.Seq[Grapheme] {
	return func(yield func(Grapheme) bool) {
		for part, isColour := range byColour(text) {
			if isColour {
				if !yield(Grapheme{Text: part}) {
					return
				}
				continue
			}
			for part != "" {
				l := firstGrapheme(part)
				if !yield(l) {
					return
				}
				part = part[len(l.Text):]
			}
		}
	}
}

// Characters that join what is around them, or say how the one before them is drawn.
const (
	zeroWidthJoiner = 0x200d
	asText          = 0xfe0e
	asEmoji         = 0xfe0f
	keycap          = 0x20e3
)

// firstGrapheme is the letter that a text without colours begins with.
func firstGrapheme(s string) Grapheme {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) { // mostly
		return Grapheme{Text: s[:1], Columns: 1}
	}
	first, end := utf8.DecodeRuneInString(s)
	l := Grapheme{Columns: runeColumns(first), Doubtful: isFlagHalf(first) ||
		unicode.Is(unicode.Prepended_Concatenation_Mark, first)}
	last := first
	for !unicode.IsControl(first) && end < len(s) && end < maxGraphemeSize {
		r, size := utf8.DecodeRuneInString(s[end:])
		columns, goesOn := l.Columns, true
		switch {
		case r == asEmoji || r == keycap:
			columns, l.Doubtful = max(columns, min(1, columns)*widest), true
		case r == asText, unicode.Is(unicode.Cf, r) && runeColumns(r) == 0,
			last == zeroWidthJoiner && (runeColumns(r) == widest || unicode.Is(unicode.So, r)),
			isSkin(r) && columns == widest:
			l.Doubtful = true
		case isFlagHalf(r) && isFlagHalf(first) && end == utf8.RuneLen(first):
			columns, l.Doubtful = widest, true
		case unicode.Is(unicode.Mc, r) && columns == 1:
			columns, l.Doubtful = widest, true
		default:
			goesOn = runeColumns(r) == 0
		}
		if !goesOn {
			break
		}
		l.Columns, last = columns, r
		end += size
	}
	l.Text = s[:end]
	return l
}

// isFlagHalf says whether two of the kind are drawn as a flag.
func isFlagHalf(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// isSkin says whether the character colours the one before it.
func isSkin(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// isJamo says whether the character is part of the Korean syllable before it.
func isJamo(r rune) bool { return r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff }

func runeColumns(r rune) int {
	if r >= ' ' && r < 0x7f {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		isJamo(r) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return widest
	}
	return 1
}

// columnGap separates two columns.
const columnGap = "  "

// Table writes rows below a header in aligned columns.
// The last column is cut to the width, in columns of the terminal, with "…" for what is missing; 0 means no cutting.
// A cell is one line: newlines and tabs in it become blanks, and of escape sequences only colours stay.
// Rows may be shorter than the header, and an empty header is left out.
// Writing is for display, so its errors are not reported.
func Table(w io.Writer, header []string, rows [][]string, width int) {
	var lines [][]string
	if len(header) > 0 {
		lines = append(lines, oneLined(header))
	}
	for _, row := range rows {
		lines = append(lines, oneLined(row))
	}
	var widths []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	for _, line := range lines {
		io.WriteString(w, tableLine(line, widths, width)+"\n")
	}
}

func oneLined(row []string) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = oneLine(cell)
	}
	return cells
}

func tableLine(line []string, widths []int, width int) string {
	var b strings.Builder
	used := 0
	for i, cell := range line {
		if i == len(widths)-1 {
			if width > 0 {
				cell = Cut(cell, max(width-used, 1))
			}
			b.WriteString(cell)
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-Columns(cell)))
		b.WriteString(columnGap)
		used += widths[i] + len(columnGap)
	}
	return strings.TrimRight(b.String(), " ")
}

// oneLine cleans a cell but for its colours.
func oneLine(cell string) string {
	var b strings.Builder
	for part, isColour := range byColour(cell) {
		if !isColour {
			part = plainLine(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// Columns is how wide a terminal shows the text.
func Columns(text string) int {
	n := 0
	for l := range Graphemes(text) {
		n += l.Columns
	}
	return n
}

// Cut shortens the text to so many columns of a terminal, with "…" for what is missing.
// It keeps the colours, so that none bleeds into what follows; the text is one line and clean.
func Cut(text string, limit int) string {
	if Columns(text) <= limit {
		return text
	}
	if limit < 1 {
		return ""
	}
	var b strings.Builder
	left, ended := limit-1, false
	for l := range Graphemes(text) {
		if l.Columns == 0 && l.Text[0] == escape {
			b.WriteString(l.Text)
			continue
		}
		if ended {
			continue
		}
		if left -= l.Columns; left < 0 {
			b.WriteString("…")
			ended = true
			continue
		}
		b.WriteString(l.Text)
	}
	return b.String()
}
