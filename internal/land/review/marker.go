package review

import (
	"bytes"
)

// markers says where a merge was left half done: the marks that git writes, in their order, one of them on an added
// line. The lines between them may be those of before, as where the other side's stand at the end of a block.
// In a file that had such marks before they are what the file is about.
func markers(w *work) ([]Remark, error) {
	var remarks []Remark
	err := w.each(func(v version) {
		added := map[int]bool{}
		for _, h := range v.hunks {
			for i := range h.NewLines {
				added[h.NewStart+i] = true
			}
		}
		line := marked(v.new, func(line int) bool { return added[line] })
		if line == 0 {
			return
		}
		r := Remark{Severity: Critical, Path: v.Path, Line: line,
			Text: "the marks of a merge that was not finished (<<<<<<<, =======, >>>>>>>)"}
		if marked(v.old, func(int) bool { return true }) > 0 {
			r.Severity, r.Text = Warning, r.Text+"; the file had such marks before"
		}
		remarks = append(remarks, r)
	})
	return remarks, err
}

// marked is the line of the first mark of a set of which one is among the lines that count, 0 where there is none.
// The marks of a set are of one length, which git makes longer where the text itself has such lines.
func marked(text []byte, counts func(line int) bool) int {
	var begin, size, line int
	var middle, counted bool
	for row := range bytes.Lines(text) {
		line++
		row = bytes.TrimRight(row, "\r\n")
		switch {
		case markSize(row, '<') > 0:
			begin, size, middle, counted = line, markSize(row, '<'), false, counts(line)
		case begin > 0 && !middle && len(row) == size && run(row, '=') == size:
			middle, counted = true, counted || counts(line)
		case begin > 0 && middle && markSize(row, '>') == size:
			if counted || counts(line) {
				return begin
			}
			begin = 0
		}
	}
	return 0
}

// shortestMark is the length of git's marks where no line of the text is like one.
const shortestMark = 7

// markSize is how often a mark at one end of a conflict repeats its character, 0 of what is no such line.
func markSize(row []byte, mark byte) int {
	n := run(row, mark)
	if n < shortestMark || n == len(row) || row[n] != ' ' {
		return 0
	}
	return n
}

// run is how often a line begins with a character.
func run(row []byte, mark byte) int { return len(row) - len(bytes.TrimLeft(row, string(mark))) }
