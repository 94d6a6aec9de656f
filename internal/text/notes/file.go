package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/sys/atomicfile"
)

// changedTries is how often a change starts again because another program saved the file meanwhile.
const changedTries = 20

// file is a Markdown file that this program and people change.
type file struct {
	path, lock string
	step       func(name string) // called after each step of a write; how tests save in between; nil otherwise
}

// update replaces the file by what change makes of it, under the lock; a file that change leaves as
// it is is not written. Change gets nil for a missing file and is run again on a version that was
// saved meanwhile, so it must be a function of the text alone.
func (f file) update(ctx context.Context, change func(text []byte) []byte) error {
	guard, err := atomicfile.Lock(ctx, f.lock)
	if err != nil {
		return fmt.Errorf("change %q: %w", f.path, err)
	}
	for range changedTries {
		err = f.once(change)
		if _, ok := errors.AsType[*atomicfile.ChangedError](err); !ok {
			break
		}
	}
	return errors.Join(err, guard.Unlock())
}

func (f file) once(change func([]byte) []byte) error {
	left, err := atomicfile.Recover(f.path)
	if err != nil {
		return err
	}
	disk, err := f.read()
	if err != nil {
		return err
	}
	text := disk
	var merged []string
	for _, version := range left {
		text = join(version.Data, text)
		merged = append(merged, version.Path)
	}
	if err := f.put(disk, text, change); err != nil {
		return err
	}
	return remove(merged)
}

// put writes the changed text where expect is. A version that was saved at that very moment is changed in its place:
// it has all that the text had, as that person wanted it.
func (f file) put(expect, text []byte, change func([]byte) []byte) error {
	var merged []string
	for {
		next := change(text)
		if bytes.Equal(next, expect) {
			return remove(merged)
		}
		err := atomicfile.Replacer{Step: f.step}.Replace(f.path, expect, next)
		var displaced *atomicfile.DisplacedError
		switch {
		case err == nil:
			return remove(merged)
		case !errors.As(err, &displaced):
			return err
		}
		expect, text = next, displaced.Displaced
		merged = append(merged, displaced.Kept)
	}
}

// read is the text of the file, nil if there is none.
func (f file) read() ([]byte, error) {
	text, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return text, nil
}

func remove(merged []string) error {
	for _, path := range merged {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove merged version: %w", err)
		}
	}
	return nil
}
