package change

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Color says how Diff writes the contents of files.
type Color int

// The values of DiffOptions.Color.
const (
	// Plain writes the exact bytes, as a patch that "git apply" accepts.
	Plain Color = iota
	// Visible is for a terminal without colours. Control characters are written as ^X, so that the contents of a file
	// cannot send commands to the terminal. The result is not a valid patch then.
	Visible
	// Colored is Visible with colours, with the words marked that differ between two versions of a line, with the ends
	// of lines over 4000 bytes left out, and without the headers that only git reads.
	Colored
)

// defaultContext is the number of unchanged lines around a change, as git has it.
const defaultContext = 3

// DiffOptions are the options of Diff. The zero value gives a patch as git writes it.
type DiffOptions struct {
	// Context is the number of unchanged lines around a change; 0 means 3, and a negative number none.
	Context int
	// Color says how contents are written. The zero value is Plain.
	Color Color
}

func (o DiffOptions) context() int {
	if o.Context == 0 {
		return defaultContext
	}
	return max(o.Context, 0)
}

// errNoPath is given for a file that names no path on either side.
var errNoPath = errors.New("the file has no path")

// Diff writes the patch of one file to w, with git's headers.
// old and new are the contents of the file, or the target of a symbolic link, or nil where the file is absent.
// For a submodule both are ignored; Diff uses the commit ids in f.OldID and f.NewID.
// A change of type, such as from a file to a symbolic link, is written as a deletion and an addition.
// For binary contents Diff writes only that the files differ.
// The error is one of w, wrapped, or says that f has no path.
func Diff(w io.Writer, f File, old, new []byte, o DiffOptions) error {
	if f.Path == "" {
		return fmt.Errorf("diff of %q: %w", f.OldPath, errNoPath)
	}
	p := &patch{w: bufio.NewWriter(w), options: o}
	old, new = content(old, f.OldMode, f.OldID), content(new, f.NewMode, f.NewID)
	if f.OldMode != 0 && f.NewMode != 0 && f.OldMode&typeBits != f.NewMode&typeBits {
		gone := File{Path: f.BasePath(), Kind: Deleted, OldMode: f.OldMode, OldID: f.OldID, Binary: f.Binary}
		made := File{Path: f.Path, Kind: Added, NewMode: f.NewMode, NewID: f.NewID, Binary: f.Binary}
		p.file(gone, old, nil)
		p.file(made, nil, new)
	} else {
		p.file(f, old, new)
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("write diff of %q: %w", f.Path, err)
	}
	return nil
}

// content is the text that git compares for a file of the mode.
func content(data []byte, mode uint32, id string) []byte {
	if mode != ModeSubmodule {
		return data
	}
	return []byte("Subproject commit " + id + "\n")
}

// patch writes one file's patch.
// bufio keeps the first error of the underlying writer and gives it again on Flush, so writes go unchecked.
type patch struct {
	w       *bufio.Writer
	options DiffOptions
}

// paint is the escape sequence that begins a line of its sort.
type paint string

const (
	paintNone   paint = ""
	paintHeader paint = "\x1b[1m"
	paintHunk   paint = "\x1b[36m"
	paintOld    paint = "\x1b[31m"
	paintNew    paint = "\x1b[32m"
	paintEnd    paint = "\x1b[m"
	paintMark   paint = "\x1b[7m"
	paintPlain  paint = "\x1b[27m" // takes paintMark back and nothing else
)

// line writes one line of the patch, text being without its newline.
func (p *patch) line(c paint, text string) {
	if p.options.Color == Colored {
		text = shortened(text)
	}
	if p.options.Color != Plain {
		text = visible(text)
	}
	if p.options.Color == Colored && c != paintNone {
		text = string(c) + text + string(paintEnd)
	}
	p.w.WriteString(text)
	p.w.WriteByte('\n')
}

func (p *patch) header(format string, args ...any) {
	p.line(paintHeader, fmt.Sprintf(format, args...))
}

// forGit writes a header that tells a person nothing but the name of the file.
func (p *patch) forGit(format string, args ...any) {
	if p.options.Color != Colored {
		p.header(format, args...)
	}
}

// file writes the headers and the hunks of a file whose type did not change.
func (p *patch) file(f File, old, new []byte) {
	oldName, newName := quoteName("a/"+f.BasePath()), quoteName("b/"+f.Path)
	p.forGit("diff --git %s %s", oldName, newName)
	same := string(old) == string(new)
	p.modes(f, old, new)
	if !same || f.Kind == Added || f.Kind == Deleted {
		p.index(f)
	}
	if same {
		return
	}
	if f.Kind == Added {
		oldName = "/dev/null"
	}
	if f.Kind == Deleted {
		newName = "/dev/null"
	}
	if f.Binary || IsBinary(old) || IsBinary(new) {
		p.line(paintNone, fmt.Sprintf("Binary files %s and %s differ", oldName, newName))
		return
	}
	p.header("--- %s", endName(oldName))
	p.header("+++ %s", endName(newName))
	p.hunks(splitLines(old), splitLines(new))
}

// modes writes the lines that say how a file appeared, vanished, moved or changed its mode.
func (p *patch) modes(f File, old, new []byte) {
	switch {
	case f.Kind == Added:
		p.forGit("new file mode %06o", cmp.Or(f.NewMode, ModeFile))
	case f.Kind == Deleted:
		p.forGit("deleted file mode %06o", cmp.Or(f.OldMode, ModeFile))
	case f.OldMode != f.NewMode && f.OldMode != 0 && f.NewMode != 0:
		p.forGit("old mode %06o", f.OldMode)
		p.forGit("new mode %06o", f.NewMode)
	}
	if f.OldPath != "" {
		p.forGit("similarity index %d%%", similarity(old, new))
		p.forGit("rename from %s", quoteName(f.OldPath))
		p.forGit("rename to %s", quoteName(f.Path))
	}
}

// shortID is how much of an object id a patch shows.
const shortID = 7

// index writes the object ids, if there are any to write.
func (p *patch) index(f File) {
	if f.OldID == "" && f.NewID == "" {
		return
	}
	short := func(id string) string { return (id + strings.Repeat("0", shortID))[:shortID] }
	if f.OldMode == f.NewMode && f.OldMode != 0 {
		p.forGit("index %s..%s %06o", short(f.OldID), short(f.NewID), f.OldMode)
		return
	}
	p.forGit("index %s..%s", short(f.OldID), short(f.NewID))
}

// similarity is how much of the larger version is in lines that both have, in percent.
// Only equal versions reach 100.
func similarity(old, new []byte) int {
	if string(old) == string(new) {
		return 100
	}
	oldLines, newLines := splitLines(old), splitLines(new)
	common := len(old)
	for _, h := range compareLines(oldLines, newLines) {
		for _, line := range oldLines[h.OldStart-1 : h.OldStart-1+h.OldLines] {
			common -= len(line)
		}
	}
	return min(99, 100*common/max(len(old), len(new)))
}

// hunks writes the changes with their context; changes whose contexts meet share one header.
func (p *patch) hunks(old, new []string) {
	all := compareLines(old, new)
	context := p.options.context()
	for first := 0; first < len(all); {
		last := first
		for last+1 < len(all) && all[last+1].OldStart-oldEnd(all[last]) <= 2*context {
			last++
		}
		p.group(all[first:last+1], old, new)
		first = last + 1
	}
}

// oldEnd is the line after the hunk in the old version.
func oldEnd(h Hunk) int { return h.OldStart + h.OldLines }

// group writes one header and the changes below it.
func (p *patch) group(group []Hunk, old, new []string) {
	first, last := group[0], group[len(group)-1]
	before := min(p.options.context(), first.OldStart-1)
	after := min(p.options.context(), len(old)-(oldEnd(last)-1))
	oldStart, newStart := first.OldStart-before, first.NewStart-before
	oldLines := oldEnd(last) + after - oldStart
	newLines := last.NewStart + last.NewLines + after - newStart
	p.line(paintHunk, fmt.Sprintf("@@ -%s +%s @@", lineRange(oldStart, oldLines), lineRange(newStart, newLines)))
	at := oldStart
	for _, h := range group {
		p.marked(paintNone, " ", old[at-1:h.OldStart-1], nil)
		p.replaced(old[h.OldStart-1:oldEnd(h)-1], new[h.NewStart-1:h.NewStart-1+h.NewLines])
		at = oldEnd(h)
	}
	p.marked(paintNone, " ", old[at-1:at-1+after], nil)
}

// lineRange writes a range as patches have it: an empty one names the line before it, a length of 1
// goes without saying.
func lineRange(start, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// replaced writes the lines of one change, with the words marked that differ where that is asked for.
func (p *patch) replaced(old, new []string) {
	var oldMarks, newMarks [][]Span
	if p.options.Color == Colored {
		oldMarks, newMarks = MarkLines(old, new)
	}
	p.marked(paintOld, "-", old, oldMarks)
	p.marked(paintNew, "+", new, newMarks)
}

func (p *patch) marked(c paint, sign string, lines []string, marks [][]Span) {
	for i, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		if i < len(marks) && len(marks[i]) > 0 {
			p.w.WriteString(string(c) + sign + withMarks(text, marks[i]) + string(paintEnd) + "\n")
		} else {
			p.line(c, sign+text)
		}
		if !ended {
			p.line(paintNone, `\ No newline at end of file`)
		}
	}
}

// quoteName writes a path as git does in headers:
// as it is while it is printable UTF-8 without quotes and backslashes, else quoted as in C.
func quoteName(name string) string {
	if !strings.ContainsFunc(name, oddInName) && utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		part := name[i : i+size]
		i += size
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + part)
		case part == "\n":
			b.WriteString(`\n`)
		case part == "\t":
			b.WriteString(`\t`)
		case oddInName(r) || r == utf8.RuneError:
			for _, c := range []byte(part) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(part)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func oddInName(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }

// endName marks the end of a name that contains a blank, which patch readers otherwise take for the end.
func endName(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// visible writes control characters as ^X, bytes that are not UTF-8 as the replacement character,
// and characters that reorder or hide text by their code.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < ' ' && r != '\t' || r == 0x7f:
			b.WriteByte('^')
			b.WriteRune(r ^ 0x40)
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a character acts on the terminal instead of appearing on it.
// The joiners are let through: scripts and emoji need them.
func hidden(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	if r == '\t' || r == zeroWidthNonJoiner || r == zeroWidthJoiner {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
