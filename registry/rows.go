package registry

import (
	"fmt"
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

// ConflictCounts says how many conflicts the events tell of, and how many of them are resolved. One that was found and
// resolved at a merge has no row that tells of the finding; one that a person resolved is closed by the supervisor too.
func ConflictCounts(events []Event) (found, resolved int) {
	for _, e := range events {
		switch e.Kind {
		case EventConflict:
			found++
		case EventResolved:
			resolved++
		}
	}
	if found == 0 {
		found = resolved
	}
	return found, min(found, resolved)
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
	found, resolved := ConflictCounts(rows)
	fmt.Fprintf(&b, "- **Conflicts**: %d found, %d resolved\n", found, resolved)
	if last.Agent == "" && last.Details != "" {
		fmt.Fprintf(&b, "- **Result**: %s\n", encodeDetails(last.Details, last.By))
	}
	b.WriteString("\n| Agent | Name | Status | Files | Lines | Tests |\n|-|-|-|-|-|-|\n")
	for _, a := range d.state.Agents {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | +%d −%d | %s |\n", a.ID, encode(a.Name, "|"), a.Status,
			len(a.FilesModified), a.Insertions, a.Deletions, encode(a.Tests, "|"))
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
