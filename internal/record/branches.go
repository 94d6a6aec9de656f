package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Conflict is what git could not decide about one file: the versions of the merge base, of HEAD and of
// what is merged; nil where that has none.
type Conflict struct{ Base, Ours, Theirs []byte }

// Registry joins the three versions of a registry; see registry.Join.
func (c Conflict) Registry() ([]byte, error) {
	docs := [3]*registry.Document{}
	for i, data := range [][]byte{c.Base, c.Ours, c.Theirs} {
		if isEmpty(data) {
			data = registry.New()
		}
		doc, err := registry.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("version %d of 3 (base, ours, theirs): %w", i+1, err)
		}
		docs[i] = doc
	}
	merged, err := registry.Join(docs[1], docs[2], docs[0])
	if err != nil {
		return nil, fmt.Errorf("join the records of two branches: %w", err)
	}
	return merged.Bytes(), nil
}

// Additions joins the three versions of a file to which entries are only ever added; where one side only added some,
// the other may have changed what was there. False if neither did so.
func (c Conflict) Additions() ([]byte, bool) {
	base := c.Base
	if isEmpty(base) {
		for n := 0; n < min(len(c.Ours), len(c.Theirs)) && c.Ours[n] == c.Theirs[n]; n++ {
			if c.Ours[n] == '\n' {
				base = c.Ours[:n+1]
			}
		}
		if bytes.HasSuffix(base, []byte("\n\n")) {
			base = base[:len(base)-1] // the blank line before an entry is part of it
		}
	}
	text := c.Ours
	added, ok := bytes.CutPrefix(c.Theirs, base)
	if !ok {
		text = c.Theirs
		added, ok = bytes.CutPrefix(c.Ours, base)
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) && !bytes.HasPrefix(added, []byte("\n")) {
		text = append(slices.Clip(text), '\n')
	}
	return slices.Concat(text, added), ok
}

// Resolve puts the joined versions in place of the registry with its conflict, which is kept aside.
// Errors besides those of Conflict.Registry: *atomicfile.ChangedError.
func (s *Store) Resolve(ctx context.Context, c Conflict) (aside string, err error) {
	merged, err := c.Registry()
	if err != nil {
		return "", err
	}
	lock, err := atomicfile.Lock(ctx, s.lockFile())
	if err != nil {
		return "", fmt.Errorf("registry: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	disk, err := os.ReadFile(s.o.Path)
	if err != nil {
		return "", fmt.Errorf("read registry: %w", err)
	}
	aside = s.replacedPath(disk)
	if err := atomicfile.WriteFile(aside, disk, 0o644); err != nil {
		return "", fmt.Errorf("keep the replaced registry: %w", err)
	}
	return aside, atomicfile.Replacer{Step: s.o.Step}.Replace(s.o.Path, disk, merged)
}

// hasEntries reports whether a text is no registry, but one of the files of entries that have its merge driver too.
func hasEntries(text []byte) bool {
	return bytes.HasPrefix(text, []byte("# Session Context\n")) || bytes.HasPrefix(text, []byte("# Delegation Notes\n"))
}

// MergeFiles joins the registries, or entries of sessions, in three files, as git hands them to a merge driver, and
// writes the result in place of ours. Where they cannot be joined, it writes both there with the markers of a conflict.
func MergeFiles(base, ours, theirs string) error {
	var c Conflict
	for path, to := range map[string]*[]byte{base: &c.Base, ours: &c.Ours, theirs: &c.Theirs} {
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("merge registries: %w", err)
		}
		*to = data
	}
	merged, ok := c.Additions()
	var err error
	if !ok || !hasEntries(c.Ours) || !hasEntries(c.Theirs) {
		merged, err = c.Registry()
	}
	if err != nil {
		merged = fmt.Appendf(nil, "<<<<<<< ours\n%s\n=======\n%s\n>>>>>>> theirs\n", c.Ours, c.Theirs)
	}
	return errors.Join(err, os.WriteFile(ours, merged, 0o644))
}
