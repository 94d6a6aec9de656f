package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// EventsHeading is the heading of the table of events, in the registry and in the files of archived sessions.
const EventsHeading = "### Session Events Log"

// EventsTable prints a table of events from its rows.
func EventsTable(rows []string) string {
	return strings.Join(append([]string{EventsHeading, tableHeadText, tableRuleText}, rows...), "\n") + "\n"
}

// ParseRows reads rows of a table of events. The error is a *SyntaxError.
func ParseRows(rows []string) ([]Event, error) {
	doc, err := Parse([]byte("## Active Session\n**Status**: None\n\n" + EventsTable(rows)))
	if err != nil {
		return nil, err
	}
	return doc.state.Events, nil
}

// SummaryHeading is the heading of what a session came to, in the file of an archived one.
const SummaryHeading = "### Summary"

// SessionText prints the active session without its rows, as the file of an archived one begins: its fields, what it
// came to by all its rows, and its agents in their order.
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

// ConflictCount is what became of the conflicts of a session.
type ConflictCount struct {
	Found, Resolved int
	Aborted         int // gone because an agent was aborted
}

func (c ConflictCount) String() string {
	text := fmt.Sprintf("%d found, %d resolved", c.Found, c.Resolved)
	if c.Aborted > 0 {
		text += fmt.Sprintf(", %d gone with an aborted agent", c.Aborted)
	}
	return text
}

// CountConflicts counts the conflicts that the events tell of. One that was found and resolved at a merge has no row
// that tells of the finding; one that a person resolved is closed by the supervisor too. A row of a person that names
// no agent says that a conflict was seen, which resolves nothing.
func CountConflicts(events []Event, agents []Agent) (c ConflictCount) {
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

// Without removes from lines each of those given, as often as it is given.
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
