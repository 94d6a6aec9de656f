package channel

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A value stands on one line, whatever it holds. Behind a backslash stand
//
//	\ | ` ~ * <     themselves
//	#               itself, at the start of a value
//	! >             themselves, in the marks of a comment
//	n t             a newline, a tab; a newline is written as <br>, which Markdown shows as one
//	u{1B} x{FF}     a character that is not seen, a byte that is no UTF-8
//
// A backslash before anything else stands for itself, as it does in Markdown.
const (
	escaped  = "\\|`~*<"
	readable = escaped + "#!>"
	lineEnd  = "<br>"
)

func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch edge := i == 0 || i+size == len(s); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x{%02X}`, s[i])
		case r == '\n':
			b.WriteString(lineEnd)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' && edge, r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%X}`, r)
		case strings.ContainsRune(escaped, r), r == '#' && i == 0, r == '!' && strings.HasSuffix(s[:i], "<"),
			r == '>' && strings.HasSuffix(s[:i], "--"):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func unescape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		at := strings.IndexAny(s, `\<`)
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		text, length := unescapeOne(s[at:])
		b.WriteString(text)
		s = s[at+length:]
	}
	return b.String() + s
}

// unescapeOne reads the backslash that s begins with and what it stands before, or a line end.
func unescapeOne(s string) (text string, length int) {
	switch {
	case strings.HasPrefix(s, lineEnd):
		return "\n", len(lineEnd)
	case s[0] == '<':
		return s[:1], 1
	case len(s) < 2:
		return s, len(s)
	}
	switch c := s[1]; {
	case c == 'n':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case strings.IndexByte(readable, c) >= 0:
		return s[1:2], 2
	case c != 'u' && c != 'x' || len(s) < 3 || s[2] != '{':
		return `\`, 1
	}
	digits, _, closed := strings.Cut(s[3:], "}")
	n, err := strconv.ParseUint(digits, 16, 21)
	length = len(`\u{}`) + len(digits)
	switch {
	case !closed || err != nil:
	case s[1] == 'x' && n <= 0xff:
		return string([]byte{byte(n)}), length
	case s[1] == 'u' && utf8.ValidRune(rune(n)):
		return string(rune(n)), length
	}
	return `\`, 1
}

// State is what EXECUTION_STATE.md tells a person. Its texts may come from anywhere; Markdown escapes them.
type State struct {
	Session    string    // DEL-…
	Status     string    // of the session
	Paused     bool      // nothing new is started
	Updated    time.Time // when this was written
	Agents     []Agent   // in the order of rows
	Waits      []string  // what a person has to do
	Answers    []Answer  // oldest first
	LastAction string
	NextAction string
}

// Agent is a row of the table of agents.
type Agent struct {
	ID, Subtask, Status string
	Progress            string
	LastActivity        time.Time // zero: none yet
	Notes               string
}

// Answer is a line of COMMANDS.md that was handled, and what came of it.
type Answer struct {
	At   time.Time // written in UTC, to the second
	Line string    // Raw of the command or fault
	Text string
}

// maxAnswers is how many answers stay in the file.
const maxAnswers = 200

const answersHeading = "## Commands"

// how tells a person how to write COMMANDS.md.
const how = `## How to write commands

Add a line to COMMANDS.md beside this file. Each line is acted on once; the same command again takes another time.

` + "```" + `
[2026-01-02 15:04] [PAUSE] start nothing new
[2026-01-02 15:05] [RESUME]
[2026-01-02 15:06] [STATUS] write this file now
[2026-01-02 15:07] [FOCUS_ON_TASK] AGT-001, or what to work on
[2026-01-02 15:08] [ABORT] AGT-001
[2026-01-02 15:09] [ABORT]
` + "```" + `

ABORT without an agent ends all of them. Lines that begin with # or > are your own.
`

// Markdown is the text of EXECUTION_STATE.md. Of the answers it holds the newest 200.
func (s State) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Execution State: %s\n\n", escape(s.Session))
	field(&b, "Status", s.Status)
	field(&b, "Paused", map[bool]string{true: "yes", false: "no"}[s.Paused])
	field(&b, "Updated", moment(s.Updated))
	b.WriteString("\n## Agents\n\n")
	row(&b, "Agent", "Subtask", "Status", "Progress", "Last activity", "Notes")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, a := range s.Agents {
		row(&b, a.ID, a.Subtask, a.Status, a.Progress, moment(a.LastActivity), a.Notes)
	}
	b.WriteString("\n## Waits for you\n\n")
	for _, w := range s.Waits {
		fmt.Fprintf(&b, "- %s\n", escape(w))
	}
	if len(s.Waits) == 0 {
		b.WriteString("Nothing.\n")
	}
	b.WriteString("\n" + answersHeading + "\n\n")
	row(&b, "Handled at", "Line as written", "Answer")
	b.WriteString("|---|---|---|\n")
	for _, a := range s.Answers[max(0, len(s.Answers)-maxAnswers):] {
		row(&b, a.At.UTC().Format(time.RFC3339), a.Line, a.Text)
	}
	b.WriteString("\n")
	field(&b, "Last action", s.LastAction)
	field(&b, "Next action", s.NextAction)
	b.WriteString("\n" + how)
	return b.String()
}

func field(b *strings.Builder, name, value string) {
	fmt.Fprintf(b, "**%s**: %s\n", name, cmp.Or(escape(value), "-"))
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + escape(c) + " ")
	}
	b.WriteString("|\n")
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// ReadAnswers takes the answers back out of the text of a state file, in its order.
// A row with a time that a person made unreadable has a zero At: that its line was handled matters more than when.
func ReadAnswers(data []byte) []Answer {
	var all []Answer
	inside, rows := false, 0
	for line := range strings.Lines(string(data)) {
		line = strings.Trim(line, " \t\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
			inside, rows = line == answersHeading, 0
		case inside && strings.HasPrefix(line, "|"):
			rows++
			if cells := split(line); rows > headRows && len(cells) > 1 {
				all = append(all, answer(cells))
			}
		}
	}
	return all
}

// headRows are the names of the columns and the line below them.
const headRows = 2

func answer(cells []string) Answer {
	a := Answer{Line: unescape(cells[1])}
	if at, err := time.Parse(time.RFC3339, unescape(cells[0])); err == nil {
		a.At = at.UTC()
	}
	if len(cells) > 2 {
		a.Text = unescape(cells[2])
	}
	return a
}

// split cuts a row at the bars that no backslash stands before.
func split(line string) (cells []string) {
	from := 1
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, strings.Trim(line[from:i], " \t"))
			from = i + 1
		}
	}
	return cells
}
