package registry

import (
	"slices"
	"strings"
)

type nodeKind int

const (
	plainLine nodeKind = iota // people's words, unknown fields, blank lines
	fieldLine
	rowLine
	tableHead
	tableRule
	movedLine    // says how many rows are in the archive
	pendingLine  // one id under Pending Merges
	archivedLine // one session under Archived Sessions
	olderLine    // says how many sessions are in archive/README.md
)

// node is one line. Its text and end are written back as they were read.
type node struct {
	text, end string
	line      int // from 1; 0 if it was made since
	kind      nodeKind
	opaque    bool   // inside a code fence or a comment: never anything but plain
	key       string // of a field
	at        int    // where a field's value begins
	event     Event
	session   ArchivedSession
	count     int // of a moved or older line
}

func (n *node) value() string { return trim(n.text[n.at:]) }

// setValue keeps what stands before the value as a person wrote it.
// The fields of a session end in two blanks: Markdown breaks the line there.
func (n *node) setValue(value string) {
	prefix := n.text[:n.at]
	if value != "" && !strings.HasSuffix(prefix, " ") && !strings.HasSuffix(prefix, "\t") {
		prefix += " "
	}
	if value == "" {
		prefix = strings.TrimRight(prefix, " \t")
	}
	n.text, n.at = prefix+value, len(prefix)
	if strings.HasPrefix(prefix, "**") {
		n.text += "  "
	}
}

func (n *node) blank() bool { return trim(n.text) == "" }

// role is what a section means to the registry.
type role int

const (
	otherRole role = iota // a person's
	activeRole
	configRole
	agentsRole
	completedRole
	pendingRole
	eventsRole
	archivedRole
	statsRole
	agentRole
)

// section is a heading and the lines up to the next one.
// The first section of a document has no heading.
type section struct {
	head  *node
	level int
	title string
	role  role
	agent string // id of an agentRole section
	body  []*node
	older bool // agentRole: it stands under Completed Agents
}

func (s *section) field(key string) *node {
	for _, n := range s.body {
		if n.kind == fieldLine && n.key == key {
			return n
		}
	}
	return nil
}

func (s *section) index(n *node) int { return slices.Index(s.body, n) }

func (s *section) insert(at int, nodes ...*node) { s.body = slices.Insert(s.body, at, nodes...) }

func (s *section) remove(unwanted func(*node) bool) { s.body = slices.DeleteFunc(s.body, unwanted) }

// end is the place behind the last line that is not blank.
func (s *section) end() int {
	i := len(s.body)
	for i > 0 && s.body[i-1].blank() {
		i--
	}
	return i
}

func (s *section) nodes(kind nodeKind) []*node {
	var out []*node
	for _, n := range s.body {
		if n.kind == kind {
			out = append(out, n)
		}
	}
	return out
}

func (s *section) text() string {
	var b strings.Builder
	if s.head != nil {
		b.WriteString(s.head.text + "\n")
	}
	for _, n := range s.body {
		b.WriteString(n.text + "\n")
	}
	return b.String()
}

// splitLines keeps every byte: text and end of all lines, joined, are the input.
func splitLines(data string) []*node {
	lines := make([]node, strings.Count(data, "\n")+1) // in one piece, since a registry is parsed again and again
	out := make([]*node, 0, len(lines))
	for line := 1; data != ""; line++ {
		text, rest, found := strings.Cut(data, "\n")
		n := &lines[line-1]
		n.text, n.line = text, line
		if found {
			n.end = "\n"
		}
		if strings.HasSuffix(text, "\r") {
			n.text, n.end = text[:len(text)-1], "\r"+n.end
		}
		out = append(out, n)
		data = rest
	}
	return out
}

// markOpaque finds code fences and comments that begin on a line of their own.
// What is never closed is a fault: it would hide the rest of the file.
func markOpaque(nodes []*node) []Fault {
	var faults []Fault
	closes, opened := (func(string) bool)(nil), 0
	for _, n := range nodes {
		text := trim(n.text)
		if closes != nil {
			n.opaque = true
			if closes(text) {
				closes = nil
			}
			continue
		}
		closes = opens(text)
		if closes != nil {
			n.opaque, opened = true, n.line
		}
	}
	if closes != nil {
		faults = append(faults, Fault{Line: opened, Reason: "a code fence or comment begins here and never ends",
			Mend: "close it"})
	}
	return faults
}

func opens(text string) func(string) bool {
	for _, mark := range []string{"`", "~"} {
		run := len(text) - len(strings.TrimLeft(text, mark))
		if run < 3 || mark == "`" && strings.Contains(text[run:], mark) {
			continue
		}
		return func(line string) bool {
			return len(line) >= run && strings.Trim(line, mark) == ""
		}
	}
	if rest, ok := strings.CutPrefix(text, "<!--"); ok && !strings.Contains(rest, "-->") {
		return func(line string) bool { return strings.Contains(line, "-->") }
	}
	return nil
}

// heading returns the level and title of a heading line; level 0 if it is none.
func heading(n *node) (int, string) {
	if n.opaque {
		return 0, ""
	}
	level := len(n.text) - len(strings.TrimLeft(n.text, "#"))
	if level == 0 || level > 6 {
		return 0, ""
	}
	rest := n.text[level:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, trim(strings.TrimRight(trim(rest), "#"))
}
