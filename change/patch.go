package change

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		p.body(paintNone, " ", old[at-1:h.OldStart-1])
		p.replaced(old[h.OldStart-1:oldEnd(h)-1], new[h.NewStart-1:h.NewStart-1+h.NewLines])
		at = oldEnd(h)
	}
	p.body(paintNone, " ", old[at-1:at-1+after])
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
	if p.options.Color != Colored {
		p.body(paintOld, "-", old)
		p.body(paintNew, "+", new)
		return
	}
	oldMarks, newMarks := markLines(old, new)
	p.marked(paintOld, "-", old, oldMarks)
	p.marked(paintNew, "+", new, newMarks)
}

func (p *patch) body(c paint, sign string, lines []string) {
	p.marked(c, sign, lines, nil)
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
