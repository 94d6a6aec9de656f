package record

import "delegate/registry"

// moveRows keeps the file's size, and so the cost of a write, independent of history:
// the oldest rows of an active session move to the archive.
func (s *Store) moveRows(archive archive, doc *registry.Document, id string) error {
	rows := doc.Rows()
	if len(rows) <= maxRows {
		return nil
	}
	batch := rows[:len(rows)-keptRows]
	if err := archive.extend(id, doc.MovedRows(), batch); err != nil {
		return err
	}
	s.o.Step("moved")
	doc.MoveRows(len(batch), archive.linkTo(id))
	return nil
}

// moveArchived does the same with the oldest lines of archived sessions.
func (s *Store) moveArchived(archive archive, doc *registry.Document) error {
	sessions := doc.State().Archived
	if len(sessions) <= maxArchived {
		return nil
	}
	batch := sessions[:len(sessions)-maxArchived]
	if err := archive.index(batch); err != nil {
		return err
	}
	s.o.Step("indexed")
	doc.MoveSessions(len(batch), archive.link+"/"+indexName)
	return nil
}
