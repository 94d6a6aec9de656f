//go:build windows

package atomicfile

import (
	"errors"
	"os"
)

// syncFile opens the file for writing, without which Windows does not sync it.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// syncFolder does nothing: Windows offers no way to sync a folder.
func syncFolder(string) error { return nil }
