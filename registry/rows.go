package registry

import "strings"

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

// SessionText prints the active session without its rows, as the file of an archived one begins.
func (d *Document) SessionText() string {
	var b strings.Builder
	b.WriteString("# Archived Session " + d.state.Session.ID + "\n\n")
	for _, s := range d.sections {
		switch s.role {
		case activeRole:
			writeFields(&b, s)
		case configRole:
			b.WriteString("### Configuration\n")
			writeFields(&b, s)
		case agentsRole:
			b.WriteString("### Agents\n\n")
		case agentRole:
			b.WriteString(s.text())
			if s.end() == len(s.body) {
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

func writeFields(b *strings.Builder, s *section) {
	for _, n := range s.nodes(fieldLine) {
		b.WriteString(n.text + "\n")
	}
	b.WriteString("\n")
}

// without removes from lines each of those given, as often as it is given.
func without(lines, gone []string) []string {
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
