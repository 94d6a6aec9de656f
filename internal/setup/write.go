package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/atomicfile"
)

// mostKept is how many bytes of a file that is there already are read to compare it.
const mostKept = 1 << 20

// LinkError says that the way to a file leads through a symbolic link, which could lead out of the repository.
type LinkError struct{ Path, Link string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%q is behind the symbolic link %q, and nothing is written through links", e.Path, e.Link)
}

// Present is what lies where the file would be written, nil if nothing does.
// Errors: *LinkError, or that it could not be read, as where it is a folder.
func (f File) Present(root string) ([]byte, error) {
	at := root
	parts := strings.Split(f.Path, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("look at %q: %w", f.Path, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, &LinkError{Path: f.Path, Link: strings.Join(parts[:i+1], "/")}
		case i < len(parts)-1 && !info.IsDir():
			return nil, fmt.Errorf("look at %q: %q is no folder", f.Path, strings.Join(parts[:i+1], "/"))
		}
	}
	data, err := atomicfile.ReadRegular(at, mostKept)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", f.Path, err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// Write puts the file into the checkout, if nothing lies there.
// Errors: those of Present, an *atomicfile.ChangedError if something lies there, or why it could not be written.
func (f File) Write(root string) error {
	found, err := f.Present(root)
	if err != nil {
		return err
	}
	at := filepath.Join(root, filepath.FromSlash(f.Path))
	if found != nil {
		return &atomicfile.ChangedError{Path: at, Found: found}
	}
	return atomicfile.Replacer{}.Replace(at, nil, f.Content)
}
