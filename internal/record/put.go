package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// put replaces the file, and merges what an editor saved in the last moment until nothing is left to merge.
// It returns the bytes that are in place.
func (s *Store) put(c *current, next []byte) ([]byte, error) {
	if c.unplaced {
		if err := atomicfile.WriteFile(s.replacedPath(c.disk), c.disk, 0o644); err != nil {
			return nil, fmt.Errorf("keep the replaced registry: %w", err)
		}
	}
	replacer := atomicfile.Replacer{Step: s.o.Step}
	expect, kept := c.disk, ""
	for try := 1; ; try++ {
		err := replacer.Replace(s.o.Path, expect, next)
		var displaced *atomicfile.DisplacedError
		var changed *atomicfile.ChangedError
		switch {
		case err == nil:
			c.placed(kept)
			return next, nil
		case errors.As(err, &displaced):
			c.placed(kept)
		case errors.As(err, &changed) && try > 1:
			// The first version is in place and its events count; the rest is merged by the next write.
			c.notice("somebody keeps saving the registry; what is not merged yet will be with the next write")
			return expect, nil
		default:
			return nil, fmt.Errorf("registry: %w", err)
		}
		merged, err := s.mergeDisplaced(c, expect, next, displaced)
		if err != nil || merged == nil || try == changedTries {
			return next, err
		}
		expect, next, kept = next, merged, displaced.Kept
	}
}

// placed notes that the version in a displaced file has been merged into the one that is in place.
func (c *current) placed(kept string) {
	if kept != "" {
		c.merged = append(c.merged, kept)
	}
}

// mergeDisplaced returns the file to write next, or nil if the saved version does not parse.
func (s *Store) mergeDisplaced(c *current, was, placed []byte, displaced *atomicfile.DisplacedError) ([]byte, error) {
	doc, err := registry.Parse(placed)
	if err != nil {
		return nil, err
	}
	c.doc = doc
	done, err := s.mergeSaved(c, displaced.Displaced, displaced.Kept, was)
	if err != nil || !done {
		return nil, err
	}
	merged := c.doc.Bytes()
	if bytes.Equal(merged, placed) {
		c.placed(displaced.Kept)
		return nil, nil
	}
	return merged, nil
}

func shortDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
