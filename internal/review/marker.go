package review

import (
	"bytes"
)

// markers says where a merge was left half done: the three marks that git writes, in their order, on added lines.
// In a file that had such marks before they are what the file is about.
func markers(w *work) ([]Remark, error) {
	var remarks []Remark
	err := w.each(func(v version) {
		line, found := 0, false
		for _, b := range v.added() {
			if line, found = marked(b); found {
				break
			}
		}
		if !found {
			return
		}
		r := Remark{Severity: Critical, Path: v.Path, Line: line,
			Text: "the marks of a merge that was not finished (<<<<<<<, =======, >>>>>>>)"}
		if _, had := marked(block{v.old, 1}); had {
			r.Severity, r.Text = Warning, r.Text+"; the file had such marks before"
		}
		remarks = append(remarks, r)
	})
	return remarks, err
}

// marked is the line at which a set of marks begins.
func marked(b block) (int, bool) {
	marks := [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}
	begin, next, line := 0, 0, b.line-1
	for text := range bytes.Lines(b.text) {
		line++
		switch {
		case bytes.HasPrefix(text, marks[0]):
			begin, next = line, 1
		case next == 1 && bytes.Equal(bytes.TrimRight(text, "\r\n"), marks[1]):
			next = 2
		case next == 2 && bytes.HasPrefix(text, marks[2]):
			return begin, true
		}
	}
	return 0, false
}
