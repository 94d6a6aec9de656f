package atomicfile

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// exchange swaps two existing files in one step.
// The error is errNoExchange where the kernel or the file system cannot.
func exchange(a, b string) error {
	return renameat2(a, b, unix.RENAME_EXCHANGE)
}

// renameNew renames from to a name that must be free; the error wraps fs.ErrExist if it is not.
func renameNew(from, to string) error {
	err := renameat2(from, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, errNoExchange) {
		return linkNew(from, to)
	}
	return err
}

func renameat2(from, to string, flags uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return errNoExchange
	case err != nil:
		return &fs.PathError{Op: "exchange", Path: to, Err: err}
	}
	return nil
}
