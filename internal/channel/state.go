package channel

import (
	"fmt"
	"strings"
	"time"
)

// State is what EXECUTION_STATE.md tells a person. Its texts may come from anywhere; Markdown escapes them.
type State struct {
	Session    string    // DEL-…
	Status     string    // of the session
	Paused     bool      // nothing new is started
	Supervisor string    // which process it is, or that there is none
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

ABORT without an agent ends all of them.
`

// Markdown is the text of EXECUTION_STATE.md. Of the answers it holds the newest 200.
func (s State) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Execution State: %s\n\n", escape(s.Session))
	field(&b, "Status", s.Status)
	field(&b, "Paused", map[bool]string{true: "yes", false: "no"}[s.Paused])
	field(&b, "Supervisor", s.Supervisor)
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
	fmt.Fprintf(b, "**%s**: %s\n", name, orDash(escape(value)))
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + escape(c) + " ")
	}
	b.WriteString("|\n")
}

func orDash(value string) string {
	if value == "" {
		return "-"
	}
	return value
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
