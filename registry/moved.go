package registry

import (
	"fmt"
	"slices"
)

// Rows are the lines of the active session's events that are still in the file, oldest first.
func (d *Document) Rows() []string { return d.texts(eventsRole, rowLine) }

func (d *Document) texts(of role, kind nodeKind) (texts []string) {
	if s := d.section(of); s != nil {
		for _, n := range s.nodes(kind) {
			texts = append(texts, n.text)
		}
	}
	return texts
}

// MovedRows is how many rows of the active session have moved to the archive, by the line that says so.
func (d *Document) MovedRows() int { return d.moved(movedLine) }

// MovedSessions is how many lines of archived sessions have moved to the archive, by the line that says so.
func (d *Document) MovedSessions() int { return d.moved(olderLine) }

func (d *Document) moved(kind nodeKind) int {
	for _, s := range d.sections {
		for _, n := range s.nodes(kind) {
			return n.count
		}
	}
	return 0
}

// MoveRows removes the n oldest rows, which are in the archived file that link leads to.
func (d *Document) MoveRows(n int, link string) {
	events := d.section(eventsRole)
	moved := d.counter(events, movedLine, tableHead)
	events.removeFirst(n, rowLine)
	moved.count += n
	moved.text = fmt.Sprintf(movedText, moved.count, link, link)
}

// MoveSessions removes the n oldest lines of archived sessions, which are in the index that link leads to.
func (d *Document) MoveSessions(n int, link string) {
	archived := d.section(archivedRole)
	older := d.counter(archived, olderLine, archivedLine)
	archived.removeFirst(n, archivedLine)
	older.count += n
	older.text = fmt.Sprintf(olderText, older.count, link, link)
}

func (s *section) removeFirst(n int, kind nodeKind) {
	s.remove(func(line *node) bool {
		if line.kind != kind || n == 0 {
			return false
		}
		n--
		return true
	})
}

// counter returns the line that links to what has moved, made above the first line of a kind if it is missing.
func (d *Document) counter(s *section, kind, above nodeKind) *node {
	for _, n := range s.body {
		if n.kind == kind {
			return n
		}
	}
	made := &node{end: d.end, kind: kind}
	at := max(0, slices.IndexFunc(s.body, func(n *node) bool { return n.kind == above }))
	s.insert(at, made, d.line(""))
	return made
}

// removeCounter takes the line away and the blank one that was made with it.
func (s *section) removeCounter() {
	at := slices.IndexFunc(s.body, func(n *node) bool { return n.kind == movedLine })
	if at < 0 {
		return
	}
	to := at + 1
	if to < len(s.body) && s.body[to].blank() {
		to++
	}
	s.body = slices.Delete(s.body, at, to)
}
