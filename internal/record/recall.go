package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Recall is what a restore of the registry would do: put the newest version that was written and
// that parses in place of the file.
type Recall struct {
	Path    string
	Faults  []registry.Fault // of the file; none if it parses, or is not there
	Missing bool             // there is no file
	Kept    int              // versions in the private folder
	Damaged int              // of these, newer than the one that is taken
	Written time.Time
	State   registry.State // that would be back
	Back    []string       // lines that come back
	Gone    []string       // lines that go; the whole file is kept aside
	Aside   string         // where

	disk, version []byte
}

// ErrNothingKept says that no version of the registry can be taken back: none is kept, or none
// parses.
var ErrNothingKept = errors.New("no earlier version of the registry is kept")

// Same says that the file is what would be put there.
func (r Recall) Same() bool { return len(r.Back)+len(r.Gone) == 0 }

// PlanRecall looks what can be taken back. It takes no lock and never writes. Errors:
// ErrNothingKept (wrapped), *VersionError.
func (s *Store) PlanRecall() (Recall, error) {
	r := Recall{Path: s.o.Path}
	numbers, err := s.versions.numbers()
	if err != nil {
		return r, err
	}
	r.Kept = len(numbers)
	var doc *registry.Document
	for number := math.MaxInt; doc == nil; {
		if r.version, number, err = s.versions.before(number); err != nil {
			return r, err
		}
		if r.version == nil {
			return r, fmt.Errorf("restore %q: %w", r.Path, ErrNothingKept)
		}
		var syntax *registry.SyntaxError
		if doc, err = registry.Parse(r.version); errors.As(err, &syntax) || err == nil && isEmpty(r.version) {
			doc = nil
			r.Damaged++
		} else if err != nil {
			return r, err
		}
		if info, err := os.Stat(s.versions.path(number)); err == nil {
			r.Written = info.ModTime()
		}
	}
	r.State = doc.State()
	if r.disk, err = os.ReadFile(s.o.Path); errors.Is(err, fs.ErrNotExist) {
		r.disk, r.Missing = nil, true
	} else if err != nil {
		return r, fmt.Errorf("read registry: %w", err)
	}
	var newer *registry.VersionError
	if _, err := registry.Parse(r.disk); errors.As(err, &newer) {
		return r, registry.Located(err, s.o.Path)
	}
	if !r.Missing {
		r.Faults, r.Aside = registry.Check(r.disk), s.replacedPath(r.disk)
	}
	was, is := strings.Split(string(r.version), "\n"), strings.Split(string(r.disk), "\n")
	r.Back, r.Gone = registry.Without(was, is), registry.Without(is, was)
	return r, nil
}

// Recall does what was planned, unless the file has changed since: then a
// *atomicfile.ChangedError. What the file holds is kept at r.Aside first.
func (s *Store) Recall(ctx context.Context, r Recall) (err error) {
	lock, err := atomicfile.Lock(ctx, s.lockFile())
	if err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return s.recall(r)
}

func (s *Store) recall(r Recall) error {
	if r.Aside != "" {
		if err := atomicfile.WriteFile(r.Aside, r.disk, 0o644); err != nil {
			return fmt.Errorf("keep the replaced registry: %w", err)
		}
	}
	if err := s.archive.restore(); err != nil {
		return err
	}
	if err := (atomicfile.Replacer{Step: s.o.Step}).Replace(s.o.Path, r.disk, r.version); err != nil {
		return fmt.Errorf("restore registry: %w", err)
	}
	return nil
}
