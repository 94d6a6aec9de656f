//go:build !linux

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SyncAll returns once these files below folder are on the disk, and their folders: here no call
// does it for a whole file system. What is no regular file, or is not there, is passed over.
func SyncAll(folder string, files ...string) error {
	folders := map[string]bool{folder: true}
	for _, name := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		for at := filepath.Dir(path); !folders[at] && len(at) > len(folder); at = filepath.Dir(at) {
			folders[at] = true
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err == nil {
			err = syncFile(path)
		}
		if err != nil {
			return fmt.Errorf("sync %q: %w", path, err)
		}
	}
	for at := range folders {
		if err := syncFolder(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sync folder %q: %w", at, err)
		}
	}
	return nil
}

// holderOf returns the zero Holder: this system keeps no list of locks.
func holderOf(*os.File) Holder { return Holder{} }
