package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"delegate/change"
	"delegate/internal/text/shorten"
)

// Sort says what a line of a patch is.
type Sort string

// The sorts of lines.
const (
	Same  Sort = "s"
	Old   Sort = "o"
	New   Sort = "n"
	Where Sort = "w" // the head of a hunk, and what is said of a line
)

// Line is one line of a patch.
type Line struct {
	Sort  Sort
	Old   int // its number in the old version, 0 if it is not there
	New   int // the same of the new one
	Text  string
	Marks []change.Span // what differs from the other version of the line
}

// Part is a piece of a line, marked where it differs.
type Part struct {
	Text   string
	Marked bool
}

// Parts are the pieces of a line in their order.
func (l Line) Parts() (all []Part) {
	at := 0
	add := func(end int, marked bool) {
		if end = min(end, len(l.Text)); end > at {
			all = append(all, Part{l.Text[at:end], marked})
			at = end
		}
	}
	for _, m := range l.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(l.Text), false)
	return all
}

// Sign is how a patch marks the line.
func (l Line) Sign() string {
	switch l.Sort {
	case New:
		return "+"
	case Old:
		return "-"
	case Same:
		return " "
	}
	return ""
}

// File is one changed file as the page shows it.
type File struct {
	change.File
	Lines []Line
	Cut   int    // how many lines are left out
	Note  string // what the lines do not say, or why there are none
}

// Extent is how much of one file is shown.
type Extent struct {
	Content int // bytes of one side; what is larger is not compared
	Lines   int
	Line    int // characters
	Bytes   int
}

// Brief is how much of a file a report shows. The whole is one command away.
func Brief() Extent { return Extent{Content: 1 << 20, Lines: 400, Line: 600, Bytes: 48 << 10} }

// How much of all is on a report.
const (
	mostOfAll    = 1200 << 10 // bytes of all patches on the page
	mostOpen     = 40         // lines of a file that is shown without being asked
	mostOpenAll  = 240        // lines that are shown without being asked, over all files
	mostTail     = 16 << 10   // bytes of an output
	mostListed   = 2000       // rows of a list
	mostClaims   = 200        // claims of an agent that differ, and that do not
	mostMatrix   = 24         // names in the matrix that found nothing
	mostFindings = 500
)

// NewFile is a file with what changed in it. The contents are as change.Diff takes them.
func NewFile(f change.File, old, now []byte, most Extent) File {
	out := File{File: f}
	notes := modeNotes(f, old, now)
	why := out.compare(old, now, most)
	if why == "" && len(out.Lines) == 0 && len(notes) == 0 {
		why = "Its content did not change."
	}
	if why != "" {
		notes = append(notes, why)
	}
	out.Note = strings.Join(notes, " ")
	return out
}

// compare fills in the lines, and answers why there can be none.
func (f *File) compare(old, now []byte, most Extent) string {
	switch {
	case f.Binary || change.IsBinary(old) || change.IsBinary(now):
		return "A binary file; its content is not shown."
	case max(len(old), len(now)) > most.Content:
		return "Larger than " + plural(most.Content>>20, "MiB") + "; its content is not shown."
	}
	var patch bytes.Buffer
	if err := change.Diff(&patch, f.File, old, now, change.DiffOptions{}); err != nil {
		return "Not shown: " + err.Error() + "."
	}
	f.add(patch.String(), most)
	f.mark()
	return ""
}

// modeNotes are what git says of a file above its hunks: lines cannot show that it is empty, can be executed, or is a
// symbolic link.
func modeNotes(f change.File, old, now []byte) (notes []string) {
	const longest = 200
	switch {
	case f.OldMode == 0 && f.NewMode == change.ModeExecutable && len(now) > 0:
		notes = append(notes, "New file with mode 100755.")
	case f.OldMode == 0 && f.NewMode == change.ModeExecutable:
		notes = append(notes, "New empty file with mode 100755.")
	case f.OldMode == 0 && f.NewMode == change.ModeFile && len(now) == 0 && !f.Binary:
		notes = append(notes, "New empty file.")
	case f.NewMode == 0 && f.OldMode == change.ModeFile && len(old) == 0 && !f.Binary:
		notes = append(notes, "Deleted empty file.")
	case f.NewMode == 0 && f.OldMode == change.ModeSymlink:
		notes = append(notes, "Deleted symbolic link to "+shorten.Runes(string(old), longest)+".")
	case f.OldMode != 0 && f.NewMode != 0 && f.OldMode != f.NewMode:
		notes = append(notes, fmt.Sprintf("Mode %06o → %06o.", f.OldMode, f.NewMode))
	}
	if f.NewMode == change.ModeSymlink {
		notes = append(notes, "Symbolic link to "+shorten.Runes(string(now), longest)+".")
	}
	return notes
}

// Unread is a file whose contents could not be read, and why.
func Unread(f change.File, why error) File {
	return File{File: f, Note: "Not shown: " + why.Error() + "."}
}

// add takes the hunks of a patch without its headers, up to the limits.
func (f *File) add(patch string, most Extent) {
	size, inside, old, now := 0, false, 0, 0
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inside = false
			continue
		case strings.HasPrefix(line, "@@ "):
			inside = true
			old, now = starts(line)
		}
		if !inside || line == "" {
			continue
		}
		size += min(len(line), most.Line)
		if len(f.Lines) >= most.Lines || size > most.Bytes {
			f.Cut += counted(line[0])
			continue
		}
		l := Line{Sort: sortOf(line[0]), Text: line}
		if l.Sort != Where {
			l.Text = line[1:]
		}
		l.Text = shorten.Runes(l.Text, most.Line)
		if l.Sort == Old || l.Sort == Same {
			l.Old, old = old, old+1
		}
		if l.Sort == New || l.Sort == Same {
			l.New, now = now, now+1
		}
		f.Lines = append(f.Lines, l)
	}
}

// starts are the first line numbers of a hunk, by its head.
func starts(head string) (old, now int) {
	for word := range strings.FieldsSeq(head) {
		first, _, _ := strings.Cut(strings.TrimLeft(word, "-+"), ",")
		n, err := strconv.Atoi(first)
		switch {
		case err != nil:
		case word[0] == '-':
			old = n
		case word[0] == '+':
			now = n
		}
	}
	return old, now
}

// mark finds what differs within lines that took each other's place.
func (f *File) mark() {
	for i := 0; i < len(f.Lines); i++ {
		first := i
		for i < len(f.Lines) && f.Lines[i].Sort == Old {
			i++
		}
		middle := i
		for i < len(f.Lines) && f.Lines[i].Sort == New {
			i++
		}
		if first == middle || middle == i {
			continue
		}
		old, now := change.MarkLines(texts(f.Lines[first:middle]), texts(f.Lines[middle:i]))
		for n, marks := range old {
			f.Lines[first+n].Marks = marks
		}
		for n, marks := range now {
			f.Lines[middle+n].Marks = marks
		}
		i--
	}
}

func texts(lines []Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return all
}

func sortOf(sign byte) Sort {
	switch sign {
	case '+':
		return New
	case '-':
		return Old
	case '@', '\\': // the second says that the last line has no end
		return Where
	}
	return Same
}

// counted is 1 for a line of the file, 0 for what stands between.
func counted(sign byte) int {
	if sortOf(sign) == Where {
		return 0
	}
	return 1
}

// withhold drops the lines of files once the page is full.
func (f *File) withhold() {
	for _, l := range f.Lines {
		if l.Sort != Where {
			f.Cut++
		}
	}
	f.Lines = nil
	f.Note = "Not shown: this page is full."
}

func (f *File) bytes() int {
	n := 0
	for _, l := range f.Lines {
		n += len(l.Text) + len(`<span class="n"><i>1234</i><i>1234</i></span>`)
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
