package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// RemoveTree takes a folder away with all that is in it, also where folders in it may not be
// written, as those of a Go module cache. No link is followed. What is not there is no fault.
func RemoveTree(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.IsDir() {
		_ = os.Chmod(path, 0o700) // a refusal comes back from the next step
	}
	root, openErr := os.OpenRoot(path)
	if openErr != nil {
		return err
	}
	defer root.Close()
	openErr = openFolders(root, ".")
	return errors.Join(openErr, os.RemoveAll(path))
}

// openFolders lets their owner write the folder and those in it.
func openFolders(root *os.Root, name string) error {
	if err := root.Chmod(name, 0o700); err != nil {
		return fmt.Errorf("open folder for removal: %w", err)
	}
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return fmt.Errorf("open folder for removal: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		below := e.Name()
		if name != "." {
			below = name + "/" + e.Name()
		}
		if err := openFolders(root, below); err != nil {
			return err
		}
	}
	return nil
}
