package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Options say where a registry lives.
type Options struct {
	Path    string // …/docs/logs/delegation_registry.md
	Private string // folder for the lock, recent versions and copies of the archive
	Archive string // …/docs/logs/archive
	// Worktree is where the agent's worktree lies, which the record names; nil: nobody knows
	Worktree func(session string, a registry.Agent) string
	Named    func(name string) bool // whether an agent cannot have a name because something else has it; nil: nothing
	Git      Git                    // nil: git has nothing of it
	Now      func() time.Time       // nil: time.Now
	// Unstashed is called under the lock when no stash holds the registry; nil for nothing to do
	Unstashed func(ctx context.Context) error
	Step      func(string) // called after each step of a write; how tests crash in between; nil otherwise
}

// Git is what git has of the registry.
type Git interface {
	InHead(ctx context.Context) ([]byte, error)      // nil if HEAD has none
	InStashes(ctx context.Context) ([][]byte, error) // in each stash that has one
	IsKept(ctx context.Context, content []byte) (bool, error)
}

// Store reads and writes one registry. It holds nothing open and may be used by many goroutines and processes.
type Store struct {
	o        Options
	versions versions
	archive  archive
	// decisions has what people decided, also where the registry was edited
	decisions decisions
	parsed    *parses
	writes    *writes
}

const (
	// How often a write starts again because somebody else saved the file meanwhile.
	changedTries = 20
	maxRows      = 200 // event rows in the file
	keptRows     = 100 // that stay in the file when the others move
	maxArchived  = 50  // lines of archived sessions in the file
)

// Open returns the store of a registry. It touches no file.
func Open(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Worktree == nil {
		o.Worktree = func(_ string, a registry.Agent) string { return a.Worktree }
	}
	if o.Named == nil {
		o.Named = func(string) bool { return false }
	}
	if o.Unstashed == nil {
		o.Unstashed = func(context.Context) error { return nil }
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	link, err := filepath.Rel(filepath.Dir(o.Path), o.Archive)
	if err != nil {
		link = o.Archive
	}
	return &Store{
		o:        o,
		versions: versions{folder: filepath.Join(o.Private, "registry.versions")},
		archive: archive{folder: o.Archive, copies: filepath.Join(o.Private, "registry.archive"),
			link: filepath.ToSlash(link)},
		decisions: decisions{filepath.Join(o.Private, "decisions.log"), filepath.Join(o.Private, "registry.lock")},
		parsed:    &parses{},
		writes:    &writes{},
	}
}

// View returns the state without a lock, and never writes.
// If the file vanished or jumped back while a session is active, the state is that of the last version written,
// which the next Update restores, and Notices says so.
// Errors: *registry.SyntaxError, *VersionError.
func (s *Store) View(ctx context.Context) (registry.State, error) {
	if err := ctx.Err(); err != nil {
		return registry.State{}, fmt.Errorf("read registry: %w", err)
	}
	current, err := s.read(ctx, reading)
	if err != nil {
		return registry.State{}, err
	}
	return s.state(current), nil
}

// Stashed reports whether a stash holds the registry: its file and those beside it come back when that is popped.
func (s *Store) Stashed(ctx context.Context) (bool, error) {
	state, err := s.View(ctx)
	return state.Stashed, err
}

func (s *Store) once(ctx context.Context, fn func(*registry.Tx) error) (*current, error) {
	current, err := s.read(ctx, writing)
	if err != nil {
		return nil, err
	}
	left, err := atomicfile.Recover(s.o.Path)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	merged, err := s.mergeLeft(current, left)
	if err != nil {
		return nil, err
	}
	archive := s.archive
	switch {
	case current.stashed:
		archive.folder = ""
	case current.restored:
		if err := archive.restore(); err != nil {
			return nil, err
		}
	}
	if current.over != nil {
		if err := archive.end(current.over, current.over.State().Session.ID); err != nil {
			return nil, err
		}
	}
	doc, err := s.change(archive, current, fn)
	if err != nil {
		return nil, err
	}
	prepared := doc.Bytes()
	next := prepared
	s.o.Step("prepared")
	if !current.stashed && !bytes.Equal(next, current.disk) {
		if next, err = s.put(current, next); err != nil {
			return nil, err
		}
	}
	s.finish(current, next, merged)
	if !current.stashed {
		if err := s.o.Unstashed(ctx); err != nil {
			current.notice("%v", err)
		}
	}
	if !bytes.Equal(next, prepared) {
		if doc, err = s.parsed.parse(next); err != nil {
			return nil, err
		}
	}
	current.doc = doc
	s.parsed.put(next, doc)
	return current, nil
}

// change runs fn on the document and returns the new file as it reads back, which is what fn made.
func (s *Store) change(archive archive, c *current, fn func(*registry.Tx) error) (*registry.Document, error) {
	doc, ended, err := c.doc.Change(s.o.Now(), archive.taken, s.o.Named, func(tx *registry.Tx) error {
		tx.Locate(s.o.Worktree)
		return fn(tx)
	})
	if err != nil {
		return nil, err
	}
	if session := doc.State().Session; session != nil {
		if err := s.logDecisions(c, session.ID, registry.Without(doc.Rows(), c.doc.Rows())); err != nil {
			return nil, err
		}
		s.o.Step("logged")
	}
	checked := doc.Bytes()
	switch session := doc.State().Session; {
	case ended:
		if err := archive.end(doc, session.ID); err != nil {
			return nil, err
		}
		s.o.Step("archived")
		if doc, err = doc.Close(archive.linkTo(session.ID)); err != nil {
			return nil, err
		}
	case session != nil:
		if err := s.moveRows(archive, doc, session.ID); err != nil {
			return nil, err
		}
	}
	if err := s.moveArchived(archive, doc); err != nil {
		return nil, err
	}
	printed := doc.Bytes()
	if bytes.Equal(printed, checked) {
		return doc, nil // which is how Change read it back
	}
	if doc, err = registry.Parse(printed); err != nil {
		return nil, fmt.Errorf("refuse to write a registry that would not parse: %w", err)
	}
	return doc, nil
}

// finish remembers what was written. What goes wrong here costs comfort only, so it becomes a notice.
func (s *Store) finish(current *current, written []byte, merged []string) {
	for _, n := range current.damaged {
		if err := s.versions.setAside(n); err != nil {
			current.notice("%v", err)
		}
	}
	if !bytes.Equal(written, current.last) {
		if err := s.versions.remember(written, current.stashed); err != nil {
			current.notice("the private copy was not written: %v", err)
		}
	}
	s.o.Step("remembered")
	for _, path := range append(merged, current.merged...) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			current.notice("%q is merged and can be deleted: %v", path, err)
		}
	}
}
