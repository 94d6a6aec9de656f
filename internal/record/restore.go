package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/registry"
)

// current is the registry as it should be read now: the file, or what it is to be restored to.
type current struct {
	disk     []byte // nil: there is no file
	last     []byte // the last version written; nil if that is not known
	number   int    // of last
	doc      *registry.Document
	restored bool
	foreign  bool // the file holds something that found no place in doc, so it is copied before it is replaced
	notices  []string
	merged   []string // displaced files that are merged once doc is written
	damaged  []int    // versions that do not parse and are set aside by the next write
}

func (c *current) notice(text string, args ...any) {
	c.notices = append(c.notices, fmt.Sprintf(text, args...))
}

func (s *Store) state(c *current) registry.State {
	c.doc.Locate(s.o.Worktree)
	state := c.doc.State()
	state.Notices = slices.Clone(c.notices)
	return state
}

// read finds out what the registry is now, comparing the file with the last version written:
//
//   - No file, or an empty one: the last version; if there is none, an empty registry.
//   - The same bytes: the file.
//   - The bytes of an older version: it jumped back (git stash, switch, checkout), so the last version.
//   - Every row, agent and archived session of the last version is in it, and no older version
//     without newer rows is nearer to it: a person edited it, or a writer was killed before it could
//     remember; the file as it is.
//   - Anything else: the last version, merged with what a person changed between the base and the file.
//     The base is the kept version that has the fewest lines not in common with the file.
//     If the file is older than all kept versions, or of an unknown session, there is no base:
//     then only lines and sections of people are taken, and the file is copied to the private folder.
//
// A version that does not parse was damaged where it lies; it is passed over, and the one before it is the last.
//
// The last version is read before the file:
// a writer that comes in between makes the file newer, never older, than what it is compared with.
func (s *Store) read() (*current, error) {
	last, number, err := s.versions.before(math.MaxInt)
	if err != nil {
		return nil, err
	}
	c := &current{last: last, number: number}
	if c.disk, err = os.ReadFile(s.o.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read registry: %w", err)
	}
	lastDoc, err := s.lastSound(c)
	if err != nil {
		return nil, err
	}
	if isEmpty(c.disk) {
		return c, s.vanished(c, lastDoc)
	}
	if c.doc, err = registry.Parse(c.disk); err != nil {
		return nil, registry.Located(err, s.o.Path)
	}
	if lastDoc == nil {
		return c, nil
	}
	return c, s.compare(c, lastDoc)
}

func isEmpty(registry []byte) bool { return len(bytes.TrimSpace(registry)) == 0 }

// lastSound parses the last version, and goes on to the one before where that is damaged; nil if it
// is the file itself, or if there is none.
func (s *Store) lastSound(c *current) (*registry.Document, error) {
	for c.last != nil && (isEmpty(c.last) || !bytes.Equal(c.disk, c.last)) {
		doc, err := registry.Parse(c.last)
		var syntax *registry.SyntaxError
		switch {
		case err == nil && !isEmpty(c.last):
			return doc, nil
		case err != nil && !errors.As(err, &syntax):
			return nil, fmt.Errorf("private copy of the registry in %q: %w", s.versions.folder, err)
		}
		c.damaged = append(c.damaged, c.number)
		c.notice("the private copy %q of the registry is damaged; it is set aside, and the one before it counts",
			s.versions.path(c.number))
		if c.last, c.number, err = s.versions.before(c.number); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (s *Store) vanished(c *current, last *registry.Document) (err error) {
	if last == nil {
		c.doc, err = registry.Parse(registry.New())
		return err
	}
	c.doc, c.restored = last, true
	c.notice("%q had vanished; it is restored from the last version written", s.o.Path)
	return nil
}

// compare decides about a file that parses and differs from the last version.
func (s *Store) compare(c *current, last *registry.Document) error {
	kept, err := s.versions.read(c.number)
	if err != nil {
		return err
	}
	for _, version := range kept[min(1, len(kept)):] {
		if bytes.Equal(version, c.disk) {
			c.doc, c.restored = last, true
			c.notice("%q had jumped back to an older version; the last version written is restored", s.o.Path)
			return nil
		}
	}
	if id := damaged(c.doc, last); id != "" {
		c.doc, c.restored, c.foreign = last, true, true
		c.notice("%q had lost fields of %s that this program needs; the last version written is restored, and a copy "+
			"of what was there is in %q", s.o.Path, id, s.foreignPath(c.disk))
		return nil
	}
	covers, err := s.covers(c.doc, last)
	if err != nil {
		return err
	}
	if covers {
		kept = slices.DeleteFunc(kept, func(v []byte) bool { return !sameRows(v, last) })
	}
	base, nearest := chooseBase(kept, c.disk)
	if covers && nearest <= 0 {
		return nil
	}
	theirs := c.doc
	if !covers && nearest >= 0 && !derived(theirs, base, len(kept) >= keptVersions && nearest == len(kept)-1) {
		base = nil
	}
	c.doc, c.foreign, err = s.merge(last, theirs, base)
	if err != nil {
		return err
	}
	c.restored = true
	switch {
	case base == nil:
		c.notice("%q was another or much older version; the last version written is restored, with what people "+
			"had added", s.o.Path)
	case nearest == 0:
		c.notice("rows or agents of %q had been removed; they are restored, other edits are kept", s.o.Path)
	default:
		c.notice("%q was an older version with edits; they are merged into the last version written", s.o.Path)
	}
	if c.foreign {
		c.notice("a copy of what was there is in %q", s.foreignPath(c.disk))
	}
	return nil
}

// damaged names an agent that has begun and whose branch or base is gone from the file: a file that
// was cut off, not an edit.
func damaged(d, last *registry.Document) string {
	for _, was := range last.State().Agents {
		for _, now := range d.State().Agents {
			if now.ID == was.ID && now.Status != registry.Pending &&
				(now.Branch == "" && was.Branch != "" || now.Base == "" && was.Base != "" ||
					now.Worktree == "" && was.Worktree != "") {
				return was.ID
			}
		}
	}
	return ""
}

// covers reports whether a document has every row, agent and archived session of an earlier one, in
// the file or in the archive.
func (s *Store) covers(d, earlier *registry.Document) (bool, error) {
	state, before := d.State(), earlier.State()
	for _, session := range before.Archived {
		if hasArchived(state, session.ID) {
			continue
		}
		if there, err := s.archive.indexed(session.ID); err != nil || !there ||
			d.MovedSessions() <= earlier.MovedSessions() {
			return false, err
		}
	}
	was := before.Session
	if was == nil || hasArchived(state, was.ID) {
		return true, nil
	}
	if state.Session == nil || state.Session.ID != was.ID {
		return false, nil
	}
	for _, a := range before.Agents {
		if _, err := state.Agent(a.ID); err != nil {
			return false, nil
		}
	}
	missing := without(earlier.Rows(), d.Rows())
	if len(missing) == 0 {
		return true, nil
	}
	if d.MovedRows() <= earlier.MovedRows() {
		return false, nil
	}
	archived, err := s.archive.rows(was.ID)
	return len(without(missing, archived)) == 0, err
}

func hasArchived(state registry.State, id string) bool {
	return slices.ContainsFunc(state.Archived, func(s registry.ArchivedSession) bool { return s.ID == id })
}

func sameRows(version []byte, last *registry.Document) bool {
	d, err := registry.Parse(version)
	return err == nil && slices.Equal(d.Rows(), last.Rows())
}

// chooseBase returns the version nearest to the file, and its place in the list; the newer one of
// two. A damaged one is none.
func chooseBase(kept [][]byte, disk []byte) (nearest *registry.Document, at int) {
	best := 0
	at = -1
	for i, version := range kept {
		a, b := strings.Split(string(version), "\n"), strings.Split(string(disk), "\n")
		distance := len(without(a, b)) + len(without(b, a))
		if at >= 0 && distance >= best {
			continue
		}
		if base, err := registry.Parse(version); err == nil {
			nearest, best, at = base, distance, i
		}
	}
	return nearest, at
}

// derived reports whether a file can be an edited form of a version:
// the same session, and not older than it. Only the oldest kept version can be the nearest to something older still.
func derived(d, base *registry.Document, oldest bool) bool {
	a, b := d.State().Session, base.State().Session
	if (a == nil) != (b == nil) || a != nil && a.ID != b.ID {
		return false
	}
	rows := base.Rows()
	return !oldest || len(rows) == 0 || slices.Contains(d.Rows(), rows[len(rows)-1])
}

// mergeLeft merges what editors had saved and killed writers displaced.
// It returns the files that are merged; one that does not parse stays, with a notice.
func (s *Store) mergeLeft(c *current, left []atomicfile.Displaced) ([]string, error) {
	var merged []string
	for _, displaced := range left {
		done, err := s.mergeSaved(c, displaced.Data, displaced.Path, c.last)
		if err != nil {
			return nil, err
		}
		if done {
			merged = append(merged, displaced.Path)
		}
	}
	return merged, nil
}

// mergeSaved merges one saved version into the current document. The bytes that it displaced may be its base too.
func (s *Store) mergeSaved(c *current, saved []byte, path string, also []byte) (bool, error) {
	theirs, err := registry.Parse(saved)
	if err != nil {
		c.notice("somebody saved the registry while it was written; that version is in %q and does not parse (%v): "+
			"merge it by hand and delete it", path, err)
		return false, nil
	}
	kept, err := s.versions.read(c.number)
	if err != nil {
		return false, err
	}
	if also != nil {
		kept = slices.Insert(kept, 0, also)
	}
	base, nearest := chooseBase(kept, saved)
	if nearest >= 0 && !derived(theirs, base, len(kept) >= keptVersions && nearest == len(kept)-1) {
		base = nil
	}
	doc, left, err := s.merge(c.doc, theirs, base)
	if err != nil {
		return false, err
	}
	c.doc = doc
	c.notice("somebody saved the registry while it was written; both versions are merged")
	if left {
		if err := atomicfile.WriteFile(s.foreignPath(saved), saved, 0o644); err != nil {
			return false, fmt.Errorf("keep %q: %w", path, err)
		}
		c.notice("a copy of what was saved is in %q", s.foreignPath(saved))
	}
	return true, nil
}

// merge brings a person's edits into ours; see registry.Merge.
func (s *Store) merge(ours, theirs, base *registry.Document) (*registry.Document, bool, error) {
	var gone registry.Archived
	state, err := theirs.State(), error(nil)
	if state.Session != nil {
		if gone.Rows, err = s.archive.rows(state.Session.ID); err != nil {
			return nil, false, err
		}
	}
	for _, session := range state.Archived {
		there, err := s.archive.indexed(session.ID)
		if err != nil {
			return nil, false, err
		}
		if there {
			gone.Sessions = append(gone.Sessions, session.ID)
		}
	}
	return registry.Merge(ours, theirs, base, gone)
}

// foreignPath is where a version without a base is copied before the registry replaces it.
func (s *Store) foreignPath(data []byte) string {
	return filepath.Join(s.o.Private, "registry.replaced", shortDigest(data)+".md")
}
