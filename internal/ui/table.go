package ui

import (
	"io"
	"strings"
)

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
