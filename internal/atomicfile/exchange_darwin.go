package atomicfile

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// exchange swaps two existing files in one step.
// The error is errNoExchange where the file system cannot.
func exchange(a, b string) error {
	return renamex(a, b, unix.RENAME_SWAP)
}

// renameNew renames from to a name that must be free; the error wraps fs.ErrExist if it is not.
func renameNew(from, to string) error {
	err := renamex(from, to, unix.RENAME_EXCL)
	if errors.Is(err, errNoExchange) {
		return linkNew(from, to)
	}
	return err
}

func renamex(from, to string, flags uint32) error {
	err := unix.RenamexNp(from, to, flags)
	switch {
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL):
		return errNoExchange
	case err != nil:
		return &fs.PathError{Op: "exchange", Path: to, Err: err}
	}
	return nil
}
