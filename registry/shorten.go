package registry

import (
	"fmt"
	"slices"
)

// shorten keeps the file's size, and so the cost of a write, independent of history:
// the oldest rows of an active session and the oldest lines of archived ones move to the archive.
func (s *Store) shorten(doc *Document, session *Session, ended bool) error {
	if session != nil && !ended {
		if err := s.moveRows(doc, session.ID); err != nil {
			return err
		}
	}
	return s.moveArchived(doc)
}

func (s *Store) moveRows(doc *Document, id string) error {
	events := doc.section(eventsRole)
	if events == nil {
		return nil
	}
	rows := events.nodes(rowLine)
	if len(rows) <= maxRows {
		return nil
	}
	batch := rows[:len(rows)-keptRows]
	moved := doc.counter(events, movedLine, tableHead)
	var texts []string
	for _, n := range batch {
		texts = append(texts, n.text)
	}
	if err := s.archive.extend(id, moved.count, texts); err != nil {
		return err
	}
	s.o.Step("moved")
	gone := map[*node]bool{}
	for _, n := range batch {
		gone[n] = true
	}
	events.remove(func(n *node) bool { return gone[n] })
	moved.count += len(batch)
	moved.text = fmt.Sprintf(movedText, moved.count, s.archive.linkTo(id), s.archive.linkTo(id))
	return nil
}

func (s *Store) moveArchived(doc *Document) error {
	archived := doc.section(archivedRole)
	if archived == nil {
		return nil
	}
	lines := archived.nodes(archivedLine)
	if len(lines) <= maxArchived {
		return nil
	}
	batch := lines[:len(lines)-maxArchived]
	var sessions []ArchivedSession
	for _, n := range batch {
		sessions = append(sessions, n.session)
	}
	if err := s.archive.index(sessions); err != nil {
		return err
	}
	s.o.Step("indexed")
	older := doc.counter(archived, olderLine, archivedLine)
	archived.remove(func(n *node) bool { return slices.Contains(batch, n) })
	older.count += len(batch)
	link := s.archive.link + "/" + indexName
	older.text = fmt.Sprintf(olderText, older.count, link, link)
	return nil
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
