package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile puts data at path by a temporary file in the same folder, fsync and rename:
// a crash leaves the old file or the new one.
// Folders that are missing are made. It is for files with one writer;
// it does not look at what it replaces.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	if err := WriteWhole(path, data, perm); err != nil {
		return err
	}
	return syncFolderOf(path)
}

// WriteWhole is WriteFile for what can be missing after a power cut, and never a part of itself: the disk is waited
// for until it has the content, and not until it has the name.
func WriteWhole(path string, data []byte, perm os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", path, err)
	}
	temp, err := writeTemp(path, data, perm)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(fmt.Errorf("put %q in place: %w", path, err), os.Remove(temp))
	}
	return nil
}

// WriteUnsynced is WriteFile for what is made anew where it is lost: whoever reads sees the old file or
// the new one, but a crash can leave neither. It waits for no disk.
func WriteUnsynced(path string, data []byte, perm os.FileMode) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", path, err)
	}
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+newMark+"*")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	err = errors.Join(fillTemp(file, data, perm), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", path, errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// ReadJSON reads a file of JSON. The error wraps fs.ErrNotExist if there is none.
func ReadJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// WriteJSON is WriteFile of a value as JSON, for the owner alone.
func WriteJSON(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return WriteFile(path, data, 0o600)
}

// WriteIndented is WriteJSON for a file that people read as well.
func WriteIndented(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return WriteFile(path, append(data, '\n'), 0o600)
}

// RemoveFile takes a file away. What is not there is no fault.
func RemoveFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Place puts a file that is finished and lies on the same file system in the place of path, as WriteFile does.
func Place(finished, path string) error {
	if err := syncFile(finished); err != nil {
		return fmt.Errorf("sync new version of %q: %w", path, err)
	}
	if err := os.Rename(finished, path); err != nil {
		return fmt.Errorf("put %q in place: %w", path, err)
	}
	return syncFolderOf(path)
}

func syncFolderOf(path string) error {
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("sync folder of %q: %w", path, err)
	}
	return nil
}

// AppendSync makes the file at path end with data after its first keep bytes:
// what followed them is cut off, which is how a caller removes the torn tail of an earlier crash.
// It returns after fsync. A missing file is made, with its folder, if keep is 0.
func AppendSync(path string, keep int64, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", path, err)
	}
	flags := os.O_RDWR
	if keep == 0 {
		flags |= os.O_CREATE
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	if err := errors.Join(appendAt(file, keep, data), file.Close()); err != nil {
		return fmt.Errorf("append to %q: %w", path, err)
	}
	if keep > 0 {
		return nil
	}
	return syncFolderOf(path)
}

func appendAt(file *os.File, keep int64, data []byte) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size < keep {
		return fmt.Errorf("has %d bytes, expected at least %d", size, keep)
	}
	if err := file.Truncate(keep); err != nil {
		return err
	}
	if _, err := file.WriteAt(data, keep); err != nil {
		return errors.Join(err, file.Truncate(keep))
	}
	return file.Sync()
}

// writeTemp leaves data, synced, in a new temporary file next to path, or nothing.
func writeTemp(path string, data []byte, perm os.FileMode) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+newMark+"*")
	if err != nil {
		return "", err
	}
	if err = fillTemp(file, data, perm); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

func fillTemp(file *os.File, data []byte, perm os.FileMode) error {
	if err := file.Chmod(perm); err != nil {
		return err
	}
	_, err := file.Write(data)
	return err
}

func linkNew(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, removeIf(err == nil, from))
	}
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

func removeIf(wanted bool, path string) error {
	if !wanted {
		return nil
	}
	return os.Remove(path)
}

// ReadRegular reads a file in a folder where an agent can write: it waits for nothing, as opening a pipe would,
// and refuses what is no regular file or has more than most bytes.
func ReadRegular(path string, most int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("read %q: it is no file of at most %d bytes", path, most)
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(file, most))
	return data.Bytes(), err
}
