package notes

import (
	"fmt"
	"strings"

	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
)

// visible keeps of a text what is seen, newlines and tabs; every kind of line end becomes a newline.
func visible(text string) string {
	return ui.Clean(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text))
}

// oneLine puts a text on one line of at most the given number of characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(visible(text)), " ")
	text = noComment(text)
	return shorten.Runes(text, most)
}

// noComment has its backslash inside of the mark, where one that the text already has before it changes nothing.
func noComment(text string) string { return strings.ReplaceAll(text, "<!--", `<\!--`) }

// body is text as the body of a section, at most the given number of bytes long and visibly cut where it was longer.
// It begins no section, and no fence or comment in it goes on behind its end.
func body(text string, most int) string {
	text = strings.Trim(visible(text), "\n")
	keep := shorten.Prefix(text, most)
	out := escapeLines(keep)
	for len(out) > most || keep != text && len(out) > most-cutRoom {
		keep = shorten.Prefix(text, len(keep)-(len(out)-(most-cutRoom)))
		out = escapeLines(keep)
	}
	if keep != text {
		out += cutLine(len(text))
	}
	return out
}

// cutRoom is more than a cutLine takes.
const cutRoom = 64

func cutLine(length int) string { return fmt.Sprintf("\n[cut here; the whole has %d bytes]\n", length) }

func escapeLines(text string) string {
	text = strings.TrimRight(text, " \t\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	f := fences{lines: lines, endless: map[byte]int{}}
	for at := 0; at < len(lines); at++ {
		if end := f.end(at); end > at {
			for ; at < end; at++ {
				lines[at] = escapeCode(lines[at])
			}
			continue
		}
		lines[at] = escapeText(lines[at])
	}
	return strings.Join(lines, "\n") + "\n"
}

// escapeCode leaves code as it is but for what would begin a section of ours.
func escapeCode(line string) string {
	if strings.HasPrefix(line, mark) {
		return `\` + line
	}
	return line
}

// The lines that Markdown takes for more than text: headings, the line below a heading's text, a
// block of HTML, a code fence.
var (
	atx    = lazyregexp.New(`^( {0,3})(#{1,6}(?:[ \t]|$))`)
	setext = lazyregexp.New(`^( {0,3})((?:-+|=+)[ \t]*)$`)
	html   = lazyregexp.New(`^( {0,3})(<[A-Za-z/!?])`)
	fence  = lazyregexp.New("^( *(?:[-*+] +)*)(`{3,}[^`]*|~{3,}.*)$")
)

func escapeText(line string) string {
	line = noComment(line)
	if begin := strings.TrimLeft(line, " "); begin == "" || strings.IndexByte("#-=<`~*+", begin[0]) < 0 {
		return line // as most lines of prose, without asking each expression
	}
	for _, kind := range []*lazyregexp.Regexp{atx, setext, html, fence} {
		line = kind.ReplaceAllString(line, `$1\$2`)
	}
	return line
}

// fences finds where fenced code ends.
type fences struct {
	lines []string
	// by mark, the shortest run that nothing behind it ends; a longer one is not searched for again
	endless map[byte]int
}

// end is the line that ends the fenced code which begins at the line, and the line itself if none
// begins there or it never ends:
// such a fence would swallow what follows the body, so it is made text.
// The same happens to one whose end depends on which list it stands in.
func (f fences) end(at int) int {
	begin := fenceOf(f.lines[at])
	if begin.run == "" {
		return at
	}
	if least, known := f.endless[begin.run[0]]; known && len(begin.run) >= least {
		return at
	}
	for end := at + 1; end < len(f.lines); end++ {
		line := fenceOf(f.lines[end])
		switch {
		case line.ends(begin) && (line.indent == begin.indent || begin.indent == 0 && line.indent <= maxIndent):
			return end
		case line.ends(begin) && begin.indent > 0, line.indent < begin.indent && strings.TrimSpace(f.lines[end]) != "":
			return at
		}
	}
	f.endless[begin.run[0]] = len(begin.run)
	return at
}

// maxIndent is how far Markdown lets a line be indented before it is code by that alone.
const maxIndent = 3

// fenceLine is a line as far as it may begin or end a fence.
type fenceLine struct {
	indent int    // columns before the text, those of list marks before a fence included
	run    string // of backquotes or tildes, "" in any other line
	bare   bool   // nothing but blanks stands around the run
}

func fenceOf(line string) fenceLine {
	m := fence.FindStringSubmatch(line)
	if m == nil {
		return fenceLine{indent: len(line) - len(strings.TrimLeft(line, " "))}
	}
	rest := strings.TrimLeft(m[2], m[2][:1])
	return fenceLine{
		indent: len(m[1]),
		run:    m[2][:len(m[2])-len(rest)],
		bare:   strings.TrimSpace(m[1]+rest) == "",
	}
}

func (l fenceLine) ends(begin fenceLine) bool {
	return l.bare && l.run[0] == begin.run[0] && len(l.run) >= len(begin.run)
}
