package atomicfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll returns once everything that any program wrote to the file system of folder is on the disk, by one call.
// So the files need not be known by name here.
func SyncAll(folder string, _ ...string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("sync file system: %w", err)
	}
	if err := errors.Join(unix.Syncfs(int(dir.Fd())), dir.Close()); err != nil {
		return fmt.Errorf("sync file system of %q: %w", folder, err)
	}
	return nil
}
