package registry

import (
	"fmt"
	"slices"
)

// Rows returns the lines of the event log that are in the file, oldest first.
func (d *Document) Rows() []string { return d.texts(eventsRole, rowLine) }

func (d *Document) texts(of role, kind nodeKind) (texts []string) {
	if s := d.section(of); s != nil {
		for _, n := range s.nodes(kind) {
			texts = append(texts, n.text)
		}
	}
	return texts
}

// MovedRows returns the number of events of the active session that were moved to the archive, as the file says.
func (d *Document) MovedRows() int { return d.moved(movedLine) }

// MovedSessions returns the number of lines of ended sessions that were moved to the archive, as the file says.
func (d *Document) MovedSessions() int { return d.moved(olderLine) }

func (d *Document) moved(kind nodeKind) int {
	for _, s := range d.sections {
		for _, n := range s.nodes(kind) {
			return n.count
		}
	}
	return 0
}

// MoveRows removes the n oldest events from the document, and writes a line with their number and a link to the file of
// the archive that contains them. The caller must have written that file.
func (d *Document) MoveRows(n int, link string) {
	events := d.section(eventsRole)
	moved := d.counter(events, movedLine, tableHead)
	events.removeFirst(n, rowLine)
	moved.count += n
	moved.text = fmt.Sprintf(movedText, moved.count, link, link)
}

// MoveSessions does for the n oldest lines of ended sessions what MoveRows does for events.
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
