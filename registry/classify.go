package registry

import (
	"fmt"
	"slices"
	"strings"
)

// classify finds out what each line of a section means. What it does not know stays a person's line.
func (p *parser) classify(s *section) {
	switch s.role {
	case activeRole:
		markFields(s, sessionKeys(), boldField)
	case configRole:
		markFields(s, configKeys(), bulletField)
	case statsRole:
		markFields(s, statsKeys(), bulletField)
	case agentRole:
		markFields(s, agentKeys(), agentField())
	case eventsRole:
		p.events(s)
	case pendingRole:
		for _, n := range s.body {
			if at, ok := bullet(n.text); ok && !n.opaque && validAgentID(trim(n.text[at:])) {
				n.kind = pendingLine
			}
		}
	case archivedRole:
		for _, n := range s.body {
			if !n.opaque {
				archived(n)
			}
		}
	}
}

func markFields[T any](s *section, known map[string]field[T], match func(string) (string, int)) {
	for _, n := range s.body {
		if n.opaque {
			continue
		}
		key, at := match(n.text)
		if _, is := known[key]; is {
			n.kind, n.key, n.at = fieldLine, key, at
		}
	}
}

// boldField matches "**Key**: value" and "**Key:** value" and returns the key and where the value begins.
func boldField(text string) (string, int) {
	rest, ok := strings.CutPrefix(text, "**")
	if !ok {
		return "", 0
	}
	key, rest, ok := strings.Cut(rest, "**")
	if !ok {
		return "", 0
	}
	if after, ok := strings.CutPrefix(rest, ":"); ok {
		rest = after
	} else if before, ok := strings.CutSuffix(key, ":"); ok {
		key = before
	} else {
		return "", 0
	}
	return trim(key), len(text) - len(strings.TrimLeft(rest, " \t"))
}

// bulletField matches "- Key: value", with or without bold.
func bulletField(text string) (string, int) {
	from, ok := bullet(text)
	if !ok {
		return "", 0
	}
	if key, at := boldField(text[from:]); key != "" {
		return key, from + at
	}
	key, rest, ok := strings.Cut(text[from:], ":")
	if !ok {
		return "", 0
	}
	return trim(key), len(text) - len(strings.TrimLeft(rest, " \t"))
}

// agentField matches an agent's bold fields, and the plain ones below Scope, whose key gets the prefix "Scope.".
func agentField() func(string) (string, int) {
	scope := false
	return func(text string) (string, int) {
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if indent == 0 {
			from, ok := bullet(text)
			if !ok {
				return "", 0
			}
			key, at := boldField(text[from:])
			scope = key == "Scope"
			return key, from + at
		}
		key, at := bulletField(text[indent:])
		if !scope || key == "" {
			return "", 0
		}
		return "Scope." + key, indent + at
	}
}

func bullet(text string) (int, bool) {
	if len(text) < 2 || strings.IndexByte("-*+", text[0]) < 0 || text[1] != ' ' && text[1] != '\t' {
		return 0, false
	}
	return len(text) - len(strings.TrimLeft(text[1:], " \t")), true
}

const (
	tableHeadText = "| Timestamp | Event | Agent | Details |"
	tableRuleText = "|-----------|-------|-------|---------|"
	movedText     = "Older events: %d rows in [%s](%s)"
	olderText     = "Older sessions: %d in [%s](%s)"
)

func tableColumns() []string { return []string{"Timestamp", "Event", "Agent", "Details"} }

func (p *parser) events(s *section) {
	var head, rule bool
	for _, n := range s.body {
		if n.opaque {
			continue
		}
		if !strings.HasPrefix(n.text, "|") {
			if _, err := fmt.Sscanf(n.text, "Older events: %d rows in [", &n.count); err == nil {
				n.kind = movedLine
			}
			continue
		}
		cells := splitCells(n.text)
		switch {
		case !head:
			head, n.kind = true, tableHead
			if len(cells) < 4 || !slices.Equal(cells[:4], tableColumns()) {
				p.fault(n.line, "let it begin with "+tableHeadText, "the events table has the columns %q", cells)
			}
		case !rule:
			rule, n.kind = true, tableRule
			if strings.Trim(n.text, "|-: \t") != "" {
				p.fault(n.line, "add "+tableRuleText+" above it",
					"the line below the head of the events table is no rule")
			}
		default:
			n.kind = rowLine
			p.row(n, cells)
		}
	}
}

func (p *parser) row(n *node, cells []string) {
	if len(cells) < 4 {
		p.fault(n.line, `write all four, with \| for a bar inside a cell`, "a row of the events table has %d cells",
			len(cells))
		return
	}
	if text := trim(n.text); !strings.HasSuffix(text, "|") || strings.HasSuffix(text, `\|`) {
		p.fault(n.line, "write the rest of it, and a bar at its end",
			"a row of the events table was cut off: it has no bar at its end")
		return
	}
	when, err := parseTime(cells[0])
	if err != nil {
		p.fault(n.line, "correct the time", "a row of the events table: %v", err)
		return
	}
	if cells[1] == "" {
		p.fault(n.line, "name the event", "a row of the events table names no event")
		return
	}
	n.event = Event{Time: when, Kind: modern(decode(cells[1]))}
	if cells[2] != "-" {
		n.event.Agent = decode(cells[2])
	}
	n.event.Details, n.event.By = decodeDetails(cells[3])
}

// splitCells cuts a table line at bars that are not escaped.
func splitCells(text string) []string {
	text = strings.TrimPrefix(trim(text), "|")
	var cells []string
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, trim(text[from:i]))
			from = i + 1
		}
	}
	if rest := trim(text[from:]); rest != "" {
		cells = append(cells, rest)
	}
	return cells
}

func formatRow(e Event, extra int) string {
	agent := "-"
	switch e.Agent {
	case "":
	case "-":
		agent = `\u{2D}`
	default:
		agent = encode(e.Agent, "|")
	}
	row := "| " + formatTime(e.Time) + " | " + encode(string(e.Kind), "|") + " | " + agent + " | " +
		encodeDetails(e.Details, e.By) + " |"
	return row + strings.Repeat("  |", extra)
}

// archived reads "- [DEL-…](link): STATUS, 3 agents, task"; earlier versions wrote "1 agents".
func archived(n *node) {
	if _, err := fmt.Sscanf(n.text, "Older sessions: %d in [", &n.count); err == nil {
		n.kind = olderLine
		return
	}
	rest, ok := strings.CutPrefix(n.text, "- [")
	if !ok {
		return
	}
	id, rest, ok1 := strings.Cut(rest, "](")
	link, rest, ok2 := strings.Cut(rest, "): ")
	status, rest, ok3 := strings.Cut(rest, ", ")
	count, task, ok4 := strings.Cut(rest, ", ")
	s := ArchivedSession{ID: id, Status: SessionStatus(status), Link: link, ParentTask: decode(trim(task))}
	noun := ""
	_, err := fmt.Sscanf(count, "%d %s", &s.Agents, &noun)
	if ok1 && ok2 && ok3 && ok4 && err == nil && (noun == "agents" || noun == "agent") && ValidSessionID(id) {
		n.kind, n.session = archivedLine, s
	}
}

// String returns the line as it is written in the registry.
func (s ArchivedSession) String() string {
	noun := "agents"
	if s.Agents == 1 {
		noun = "agent"
	}
	return fmt.Sprintf("- [%s](%s): %s, %d %s, %s", s.ID, s.Link, s.Status, s.Agents, noun, encode(s.ParentTask, ""))
}
