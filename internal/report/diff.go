package report

import (
	"bytes"
	"strings"

	"delegate/change"
)

// Sort says what a line of a patch is.
type Sort string

// The sorts of lines.
const (
	Same  Sort = "s"
	Old   Sort = "o"
	New   Sort = "n"
	Where Sort = "w" // the head of a hunk
)

// Line is one line of a patch, with its sign.
type Line struct {
	Sort Sort
	Text string
}

// File is one changed file as the page shows it.
type File struct {
	change.File
	Lines []Line
	Cut   int    // how many lines are left out
	Note  string // why there are no lines
}

// How much of a file is shown. The whole is one command away.
const (
	mostContent  = 1 << 20 // bytes of one side; what is larger is not compared
	mostLines    = 400
	mostLine     = 600 // characters
	mostOfOne    = 48 << 10
	mostOfAll    = 1200 << 10 // bytes of all patches on the page
	mostOpen     = 40         // lines of a file that is shown without being asked
	mostOpenAll  = 240        // lines that are shown without being asked, over all files
	mostTail     = 16 << 10   // bytes of an output
	mostListed   = 2000       // rows of a list
	mostMatrix   = 24         // names in the matrix that found nothing
	mostFindings = 500
)

// NewFile is a file with what changed in it. The contents are as change.Diff takes them.
func NewFile(f change.File, old, now []byte) File {
	out := File{File: f}
	switch {
	case f.Binary || change.IsBinary(old) || change.IsBinary(now):
		out.Note = "A binary file; its content is not shown."
		return out
	case max(len(old), len(now)) > mostContent:
		out.Note = "Larger than 1 MiB; its content is not shown."
		return out
	}
	var patch bytes.Buffer
	if err := change.Diff(&patch, f, old, now, change.DiffOptions{}); err != nil {
		out.Note = "Not shown: " + err.Error() + "."
		return out
	}
	out.add(patch.String())
	if len(out.Lines) == 0 {
		out.Note = "Its content did not change."
	}
	return out
}

// Unread is a file whose contents could not be read, and why.
func Unread(f change.File, why error) File {
	return File{File: f, Note: "Not shown: " + why.Error() + "."}
}

// add takes the hunks of a patch without its headers, up to the limits.
func (f *File) add(patch string) {
	size, inside := 0, false
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inside = false
			continue
		case strings.HasPrefix(line, "@@ "):
			inside = true
		}
		if !inside || line == "" {
			continue
		}
		size += min(len(line), mostLine)
		if len(f.Lines) == mostLines || size > mostOfOne {
			f.Cut += counted(line[0])
			continue
		}
		f.Lines = append(f.Lines, Line{Sort: sortOf(line[0]), Text: cut(line, mostLine)})
	}
}

func sortOf(sign byte) Sort {
	switch sign {
	case '+':
		return New
	case '-':
		return Old
	case '@':
		return Where
	}
	return Same
}

// counted is 1 for a line of the file, 0 for the head of a hunk.
func counted(sign byte) int {
	if sign == '@' {
		return 0
	}
	return 1
}

// withhold drops the lines of files once the page is full.
func (f *File) withhold() {
	for _, l := range f.Lines {
		f.Cut += counted(l.Text[0])
	}
	f.Lines = nil
	f.Note = "Not shown: this page is full."
}

func (f *File) bytes() int {
	n := 0
	for _, l := range f.Lines {
		n += len(l.Text) + len(`<span class="n"></span>`)
	}
	return n
}

// lastLines is the end of an output.
func lastLines(text string) string {
	text = strings.TrimRight(text, "\n \t\r")
	if len(text) <= mostTail {
		return text
	}
	text = text[len(text)-mostTail:]
	if _, whole, found := strings.Cut(text, "\n"); found {
		text = whole
	}
	return "…\n" + text
}
