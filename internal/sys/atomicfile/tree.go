package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// RemoveTree removes a folder with all that is in it, also where folders in it may not be written, as those of a Go
// module cache, and however deep they lie: an agent can nest tens of thousands, and this holds few of them open. No
// link is followed. What is not there is no fault.
func RemoveTree(path string) error {
	info, err := os.Lstat(path)
	if err == nil && info.IsDir() {
		err = emptyTree(path, info)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %q: %w", path, err)
	}
	return nil
}

func emptyTree(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(path, 0o700) // a refusal comes back from the next step
	}
	top, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer top.Close()
	if now, err := top.Stat("."); err != nil || !os.SameFile(info, now) {
		return errors.Join(err, errors.New("another folder took its place"))
	}
	r := treeRemover{top: top}
	return r.empty(top, ".")
}

// deepest is how many folders in one another are open at once; one below them moves to the top before it is emptied.
const deepest = 30

// treeRemover empties a folder.
type treeRemover struct {
	top   *os.Root
	depth int
	moved int
}

// empty removes what is in a folder, which is open and has a name below the top.
func (r *treeRemover) empty(dir *os.Root, name string) error {
	for opened := false; ; {
		entries, err := someEntries(dir)
		removed := 0
		for _, e := range entries {
			if failed := r.remove(dir, name, e); failed == nil || errors.Is(failed, fs.ErrNotExist) {
				removed++
			} else {
				err = cmp.Or(err, failed)
			}
		}
		switch {
		case removed > 0:
		case errors.Is(err, fs.ErrPermission) && !opened:
			opened = true
			if err := dir.Chmod(".", 0o700); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// someEntries are entries of a folder, as many as are removed before it is read again.
func someEntries(dir *os.Root) ([]fs.DirEntry, error) {
	file, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.ReadDir(1024)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

func (r *treeRemover) remove(dir *os.Root, name string, e fs.DirEntry) error {
	if !e.IsDir() {
		return dir.Remove(e.Name())
	}
	if r.depth == deepest {
		r.moved++
		from, to := path.Join(name, e.Name()), fmt.Sprintf(".deep-%d-%d", os.Getpid(), r.moved)
		return permitted(dir, e.Name(), func() error { return r.top.Rename(from, to) })
	}
	var below *os.Root
	err := permitted(dir, e.Name(), func() (err error) {
		below, err = dir.OpenRoot(e.Name())
		return err
	})
	if err != nil {
		return err
	}
	r.depth++
	err = errors.Join(r.empty(below, path.Join(name, e.Name())), below.Close())
	r.depth--
	if err != nil {
		return err
	}
	return dir.Remove(e.Name())
}

// permitted tries something with a folder, and once more after its owner got every right in it.
func permitted(dir *os.Root, name string, try func() error) error {
	err := try()
	if errors.Is(err, fs.ErrPermission) && dir.Chmod(name, 0o700) == nil {
		err = try()
	}
	return err
}

// leftAfter is how old a folder of Scratch is at least before it is removed as one that was left: a new one is not
// locked yet.
const leftAfter = time.Minute

// Scratch makes a folder in the temporary folder whose name begins with name, and removes those of that name that
// processes left which were ended. The folder is in use until remove is called, or the process ends.
func Scratch(name string) (folder string, remove func() error, err error) {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*"))
	for _, path := range found {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < leftAfter {
			continue
		}
		if dir, err := os.Open(path); err == nil {
			if tryFile(dir, exclusive) == nil {
				_ = RemoveTree(path) // another's is no fault of this process
			}
			_ = dir.Close()
		}
	}
	if folder, err = os.MkdirTemp("", name); err != nil {
		return "", nil, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	dir, err := os.Open(folder)
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	_ = tryFile(dir, exclusive) // a system that locks no folder removes none that was left
	return folder, func() error { return errors.Join(RemoveTree(folder), dir.Close()) }, nil
}
