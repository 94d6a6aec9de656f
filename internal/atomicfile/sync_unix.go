//go:build !windows

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// syncFolder makes renames inside folder durable.
// Some network file systems refuse to sync a folder; there is no more to do then.
func syncFolder(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}
