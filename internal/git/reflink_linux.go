package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// shareBlocks makes a new file with what another one holds, without a copy of it: what btrfs, XFS and others can, on
// one file system. The error is errors.ErrUnsupported where that is not so, and no file is left.
func shareBlocks(from, to string, perm fs.FileMode) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = unix.IoctlFileClone(int(target.Fd()), int(source.Fd()))
	if err = errors.Join(err, target.Close()); err == nil {
		return nil
	}
	return fmt.Errorf("%w: share %q: %w", errors.ErrUnsupported, from, errors.Join(err, os.Remove(to)))
}
