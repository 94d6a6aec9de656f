package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// current is the registry as it should be read now: the file, or what it is to be restored to.
type current struct {
	disk     []byte // nil: there is no file
	last     []byte // the last version written; nil if that is not known
	number   int    // of last
	doc      *registry.Document
	restored bool
	// over has a session that ended and stands as the active one; doc has it archived.
	over *registry.Document
	// stashed says that a stash holds the file: until that is popped or dropped, only the private folder changes.
	stashed bool
	// unplaced says that the file holds something that found no place in doc, so it is copied before it is replaced.
	unplaced bool
	notices  []string
	merged   []string // displaced files that are merged once doc is written
	damaged  []int    // versions that do not parse and are set aside by the next write
}

func (c *current) notice(text string, args ...any) {
	c.notices = append(c.notices, fmt.Sprintf(text, args...))
}

func (s *Store) state(c *current) registry.State {
	state := c.doc.State()
	state.Locate(s.o.Worktree)
	state.Notices, state.Stashed = slices.Clone(c.notices), c.stashed
	return state
}

// purpose is what a registry is read for, in words: what becomes of a file that is not the last version.
type purpose string

const (
	reading purpose = "the last version written is read instead, and the next command that changes something " +
		"restores it"
	writing purpose = "the last version written is restored"
)

// read finds out what the registry is now, comparing the file with the last version written:
//
//   - The same bytes: the file.
//   - The file, or that there is none, is as git has it, and no session is active in the last
//     version: a switch, a stash or a checkout; the file.
//   - No file, or an empty one: the last version; if there is none, an empty registry.
//   - The bytes of an older version: it jumped back (git stash, switch, checkout), so the last version.
//   - The beginning of a version: it was cut off, so the last version.
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
func (s *Store) read(ctx context.Context, to purpose) (*current, error) {
	c, err := s.readFile(ctx, to)
	if err != nil || !c.doc.Over() {
		return c, err
	}
	// The next write archives a session that ended.
	text := c.doc.Bytes()
	if c.over, err = registry.Parse(text); err != nil {
		return nil, err
	}
	c.over.Locate(s.o.Worktree)
	if c.doc, err = registry.Parse(text); err != nil {
		return nil, err
	}
	c.doc, err = c.doc.Close(s.archive.linkTo(c.over.State().Session.ID))
	return c, err
}

func (s *Store) readFile(ctx context.Context, to purpose) (*current, error) {
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
		c.doc, err = s.parsed.parse(registry.New())
	} else if c.doc, err = s.parsed.parse(c.disk); err != nil {
		return nil, registry.Located(err, s.o.Path)
	}
	if err != nil || lastDoc == nil {
		return c, err
	}
	why, err := s.compare(ctx, c, lastDoc)
	if c.stashed {
		c.notice("%q is in a stash; the record continues in the private folder until git stash pop or git stash drop",
			s.o.Path)
	} else if why != "" {
		c.notice("%q %s; %s", s.o.Path, why, to)
	}
	if c.unplaced {
		c.notice("a copy of what was there is in %q", s.replacedPath(c.disk))
	}
	return c, err
}

// asInGit reports whether the file, or that there is none, is what git has, so that only git changed it; and
// whether a stash holds one of the kept versions, or the active session as somebody edited it.
func (s *Store) asInGit(ctx context.Context, c *current, kept [][]byte) (same, stashed bool) {
	if s.o.Git == nil {
		return false, false
	}
	lines := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
	head, err := s.o.Git.InHead(ctx)
	if err != nil || !bytes.Equal(lines(head), lines(c.disk)) {
		return false, false
	}
	stashes, err := s.o.Git.InStashes(ctx)
	if err != nil {
		return true, false
	}
	return true, slices.ContainsFunc(stashes, func(version []byte) bool {
		if slices.ContainsFunc(kept, func(v []byte) bool { return bytes.Equal(v, version) }) {
			return true
		}
		doc, err := s.parsed.parse(version)
		last, lastErr := s.parsed.parse(c.last)
		return err == nil && lastErr == nil && sameSession(doc, last) && doc.State().Session != nil
	})
}

// sameSession reports whether two documents have the same session active, or both none.
func sameSession(d, other *registry.Document) bool {
	a, b := d.State().Session, other.State().Session
	return a == nil && b == nil || a != nil && b != nil && a.ID == b.ID
}

// isCutOff reports whether a file is the beginning of a version, and lacks more than the end of a line.
func isCutOff(disk, version []byte) bool {
	return bytes.HasPrefix(version, disk) && len(bytes.TrimSpace(version)) > len(bytes.TrimSpace(disk))
}

func isEmpty(registry []byte) bool { return len(bytes.TrimSpace(registry)) == 0 }

// lastSound parses the last version, and goes on to the one before where that is damaged; nil if it
// is the file itself, or if there is none.
func (s *Store) lastSound(c *current) (*registry.Document, error) {
	for c.last != nil && (isEmpty(c.last) || !bytes.Equal(c.disk, c.last)) {
		doc, err := s.parsed.parse(c.last)
		var syntax *registry.SyntaxError
		switch {
		case err == nil && !isEmpty(c.last):
			return doc, nil
		case err != nil && !errors.As(err, &syntax):
			return nil, fmt.Errorf("private copy of the registry in %q: %w", s.versions.folder, err)
		}
		c.damaged = append(c.damaged, c.number)
		c.notice("the private copy %q of the registry is damaged; the one before it counts, and the next change sets "+
			"it aside",
			s.versions.path(c.number))
		if c.last, c.number, err = s.versions.before(c.number); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// compare decides about a file that differs from the last version, and answers why that one counts; "" if the file
// does.
func (s *Store) compare(ctx context.Context, c *current, last *registry.Document) (why string, err error) {
	covers := false
	if !isEmpty(c.disk) {
		if covers, err = s.covers(c.doc, last); err != nil {
			return "", err
		}
	}
	kept, err := s.versions.read(c.number)
	if err != nil {
		return "", err
	}
	older := slices.ContainsFunc(kept[min(1, len(kept)):], func(v []byte) bool { return bytes.Equal(v, c.disk) })
	if older || !covers {
		same, stashed := s.asInGit(ctx, c, kept)
		if same && !stashed && s.isOver(ctx, c, last) {
			return "", nil
		}
		c.stashed = stashed
	}
	ours := c.doc
	c.doc, c.restored = last, true
	lost := damaged(ours, last)
	switch {
	case isEmpty(c.disk):
		return "is missing", nil
	case older:
		return "jumped back to an older version", nil
	case slices.ContainsFunc(kept, func(v []byte) bool { return isCutOff(c.disk, v) }):
		return "was cut off", nil
	case lost != "":
		c.unplaced = true
		return "lost fields of " + lost + " that this program needs", nil
	case covers && ended(last, ours): // no older version is like it, however few lines it has
		c.doc, c.restored = ours, false
		return "", nil
	case covers:
		kept = slices.DeleteFunc(kept, func(v []byte) bool { return !s.sameRows(v, last) })
	}
	base, nearest := s.chooseBase(kept, c.disk)
	if covers && nearest <= 0 {
		c.doc, c.restored = ours, false
		return "", nil
	}
	if !covers && nearest >= 0 && !derived(ours, base, len(kept) >= keptVersions && nearest == len(kept)-1) {
		base = nil
	}
	if c.doc, c.unplaced, err = s.merge(last, ours, base); err != nil {
		return "", err
	}
	switch {
	case base == nil:
		return "is another or much older version, of which only what people added is taken over", nil
	case nearest == 0:
		return "lacks rows or agents, and other edits of it are taken over", nil
	}
	return "is an older version with edits, which are taken over", nil
}

// isOver reports whether the last version can be left as it is where git changed the file: no session is active
// in it, none of those that ended is active in the file, and where the file is gone git has the version.
func (s *Store) isOver(ctx context.Context, c *current, last *registry.Document) bool {
	if last.State().Session != nil {
		return false
	}
	if isEmpty(c.disk) {
		kept, err := s.o.Git.IsKept(ctx, c.last)
		return err == nil && kept
	}
	session := c.doc.State().Session
	return session == nil || !hasArchived(last.State(), session.ID)
}

// damaged names an agent that has begun and whose branch or base is gone from the file: a file that
// was cut off, not an edit. An attempt that is newer than the last version has no base yet.
func damaged(d, last *registry.Document) string {
	for _, was := range last.State().Agents {
		for _, now := range d.State().Agents {
			if now.ID == was.ID && now.Status != registry.Pending && now.Attempt <= was.Attempt &&
				(now.Branch == "" && was.Branch != "" || now.Base == "" && was.Base != "" ||
					now.Worktree == "" && was.Worktree != "") {
				return was.ID
			}
		}
	}
	return ""
}

// ended reports whether the session of an earlier document is over in one that covers it.
func ended(earlier, d *registry.Document) bool {
	was, now := earlier.State().Session, d.State().Session
	return was != nil && (now == nil || now.ID != was.ID)
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
	missing := registry.Without(earlier.Rows(), d.Rows())
	if len(missing) == 0 {
		return true, nil
	}
	if d.MovedRows() <= earlier.MovedRows() {
		return false, nil
	}
	archived, err := s.archive.rows(was.ID)
	return len(registry.Without(missing, archived)) == 0, err
}

func hasArchived(state registry.State, id string) bool {
	return slices.ContainsFunc(state.Archived, func(s registry.ArchivedSession) bool { return s.ID == id })
}

func (s *Store) sameRows(version []byte, last *registry.Document) bool {
	rows := last.Rows()
	if len(rows) > 0 && !bytes.Contains(version, []byte(rows[len(rows)-1])) {
		return false // as of most versions, without parsing them
	}
	d, err := s.parsed.parse(version)
	return err == nil && slices.Equal(d.Rows(), rows)
}

// chooseBase returns the version nearest to the file, and its place in the list; the newer one of
// two. A damaged one is none.
func (s *Store) chooseBase(kept [][]byte, disk []byte) (nearest *registry.Document, at int) {
	best := 0
	at = -1
	for i, version := range kept {
		a, b := strings.Split(string(version), "\n"), strings.Split(string(disk), "\n")
		distance := len(registry.Without(a, b)) + len(registry.Without(b, a))
		if at >= 0 && distance >= best {
			continue
		}
		if base, err := s.parsed.parse(version); err == nil {
			nearest, best, at = base, distance, i
		}
	}
	return nearest, at
}

// derived reports whether a file can be an edited form of a version:
// the same session, and not older than it. Only the oldest kept version can be the nearest to something older still.
func derived(d, base *registry.Document, oldest bool) bool {
	if !sameSession(d, base) {
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
	base, nearest := s.chooseBase(kept, saved)
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
		if err := atomicfile.WriteFile(s.replacedPath(saved), saved, 0o644); err != nil {
			return false, fmt.Errorf("keep %q: %w", path, err)
		}
		c.notice("a copy of what was saved is in %q", s.replacedPath(saved))
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

// replacedPath is where a version without a base is copied before the registry replaces it.
func (s *Store) replacedPath(data []byte) string {
	return filepath.Join(s.o.Private, "registry.replaced", shortDigest(data)+".md")
}
