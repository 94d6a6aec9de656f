package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// EventsHeading is the Markdown heading of the event log, in the registry and in the archive files of sessions.
const EventsHeading = "### Session Events Log"

// EventsTable returns the event log with its heading, as Markdown. rows are lines as Document.Rows returns them.
func EventsTable(rows []string) string {
	extra := 0 // columns that a person added
	for _, row := range rows {
		extra = max(extra, len(splitCells(row))-len(tableColumns()))
	}
	return strings.Join(append([]string{EventsHeading, tableHeadText + strings.Repeat("  |", extra),
		tableRuleText + strings.Repeat("---|", extra)}, rows...), "\n") + "\n"
}

// ParseRows parses rows of the event log. The error is a *SyntaxError.
func ParseRows(rows []string) ([]Event, error) {
	doc, err := Parse([]byte("## Active Session\n**Status**: None\n\n" + EventsTable(rows)))
	if err != nil {
		return nil, err
	}
	return doc.state.Events, nil
}

// SummaryHeading is the Markdown heading of the summary in the archive file of a session.
const SummaryHeading = "### Summary"

// SessionText returns the first part of the archive file of the active session, as Markdown: its fields, a summary of
// all its events, which rows lists, and its agents. EventsTable gives the second part.
// The document must have an active session.
func (d *Document) SessionText(rows []Event) string {
	var b strings.Builder
	b.WriteString("# Archived Session " + d.state.Session.ID + "\n\n")
	writeFields(&b, d.section(activeRole))
	b.WriteString(d.summary(rows))
	if config := d.section(configRole); config != nil {
		b.WriteString("### Configuration\n")
		writeFields(&b, config)
	}
	b.WriteString("### Agents\n\n")
	for _, a := range d.state.Agents {
		s := d.agent(a.ID)
		b.WriteString(s.text())
		if s.end() == len(s.body) {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// ConflictCount says how many conflicts between agents a session had.
type ConflictCount struct {
	Found    int // all of them
	Resolved int // those of Found that were resolved
	Aborted  int // those of Found that ended because an agent was aborted
}

// String returns the counts as words, such as "2 found, 1 resolved".
func (c ConflictCount) String() string {
	text := fmt.Sprintf("%d found, %d resolved", c.Found, c.Resolved)
	if c.Aborted > 0 {
		text += fmt.Sprintf(", %d gone with an aborted agent", c.Aborted)
	}
	return text
}

// CountConflicts counts the conflicts of a session by its CONFLICT and RESOLVED events.
func CountConflicts(events []Event, agents []Agent) (c ConflictCount) {
	// A conflict that is found and resolved in a merge has no CONFLICT event, and one that a person resolves has a
	// second RESOLVED event of the supervisor. A person's RESOLVED event without an agent only confirms a finding.
	for _, e := range events {
		supervised := e.By == string(Supervisor)
		switch {
		case e.Kind == EventConflict:
			c.Found++
		case e.Kind != EventResolved, e.Agent == "" && !supervised:
		case supervised && slices.ContainsFunc(agents, func(a Agent) bool {
			return a.ID == e.Agent && a.Status == Aborted
		}):
			c.Aborted++
		default:
			c.Resolved++
		}
	}
	c.Found = cmp.Or(c.Found, c.Resolved+c.Aborted)
	c.Resolved = max(0, min(c.Resolved, c.Found-c.Aborted))
	return c
}

// summary is what people want to know first of a session that ended.
func (d *Document) summary(rows []Event) string {
	var b strings.Builder
	last := Event{Time: d.state.Session.Created}
	for _, e := range rows {
		if !e.Time.Before(last.Time) {
			last = e
		}
	}
	spawned, ended := 0, map[Status]int{}
	for _, a := range d.state.Agents {
		if !a.Spawned.IsZero() {
			spawned++
		}
		ended[a.Status]++
	}
	fmt.Fprintf(&b, "%s\n- **Duration**: %s\n- **Agents**: %d, %d spawned, %d merged, %d failed, %d aborted\n",
		SummaryHeading, last.Time.Sub(d.state.Session.Created), len(d.state.Agents), spawned, ended[Merged],
		ended[Failed], ended[Aborted])
	fmt.Fprintf(&b, "- **Conflicts**: %s\n", CountConflicts(rows, d.state.Agents))
	if last.Agent == "" && last.Details != "" {
		fmt.Fprintf(&b, "- **Result**: %s\n", encodeDetails(last.Details, last.By))
	}
	b.WriteString("\n| Agent | Name | Status | Files | Lines | Tests |\n|-|-|-|-|-|-|\n")
	for _, a := range d.state.Agents {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | +%d −%d | %s |\n", a.ID, encode(a.Name, "|"), a.Status,
			len(a.ChangedFiles()), a.Insertions, a.Deletions, encode(a.Tests, "|"))
	}
	return b.String() + "\n"
}

func writeFields(b *strings.Builder, s *section) {
	for _, n := range s.nodes(fieldLine) {
		b.WriteString(n.text + "\n")
	}
	b.WriteString("\n")
}

// Without returns lines without those in gone. A line that is in gone n times is removed n times at most.
func Without(lines, gone []string) []string {
	count := map[string]int{}
	for _, line := range gone {
		count[line]++
	}
	var out []string
	for _, line := range lines {
		if count[line] > 0 {
			count[line]--
			continue
		}
		out = append(out, line)
	}
	return out
}
