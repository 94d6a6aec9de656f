package agentdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// Dir is an agent's own folder, in which the agent can put anything. Nothing here follows a link
// out of it, waits for a pipe, or reads more than it was asked to. Names are relative, with
// slashes.
type Dir string

// markPrefix begins the entry of an environment by which an agent's processes are found.
const markPrefix = "DELEGATE_AGENT_DIR="

// Mark is the entry in the environment of the agent's processes by which they are found again.
func (d Dir) Mark() string { return markPrefix + string(d) }

// OfMark is the folder of the agent whose processes carry the mark.
func OfMark(mark string) Dir { return Dir(strings.TrimPrefix(mark, markPrefix)) }

// HookSeen is the file that the pre-tool hook touches whenever it is asked.
const HookSeen = "hook-seen"

// Read is the content of a regular file of at most most bytes. The error wraps fs.ErrNotExist if there is none.
func (d Dir) Read(name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	defer root.Close()
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("read %q: it is no file of at most %d bytes", path.Base(name), most)
	}
	return io.ReadAll(io.LimitReader(file, most))
}

// List is what lies in a folder of the agent's, at most so many entries; none if the folder is not there.
func (d Dir) List(name string, most int) ([]fs.DirEntry, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, missing(err)
	}
	defer root.Close()
	unlock(root, name)
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, missing(err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// missing makes nothing of what is not there.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("list the agent's folder: %w", err)
}

// Folder makes a folder in the agent's own, in the place of anything else that the agent put there.
func (d Dir) Folder(name string) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return fmt.Errorf("make %q: %w", name, err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		if err := root.RemoveAll(name); err != nil {
			return fmt.Errorf("make %q: %w", name, err)
		}
	}
	return root.MkdirAll(name, 0o755)
}

// Remove takes a file or folder away, links themselves and not what they lead to.
func (d Dir) Remove(name string) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return fmt.Errorf("remove %q: %w", name, err)
	}
	defer root.Close()
	unlock(root, path.Dir(name))
	return root.RemoveAll(name)
}

// unlock lets the owner into a folder whose mode an agent took away, so that it cannot keep anybody from looking.
func unlock(root *os.Root, name string) {
	for _, at := range []string{".", name} {
		if info, err := root.Lstat(at); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
			_ = root.Chmod(at, info.Mode().Perm()|0o700) // whoever opens it says what is wrong
		}
	}
}

// write puts a whole file into the folder.
func (d Dir) write(name string, data []byte) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	defer root.Close()
	unfinished := fmt.Sprintf(".new-%d", os.Getpid()) // outside of the folder, whose readers take all that is in it
	if err := root.WriteFile(unfinished, data, 0o644); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return root.Rename(unfinished, name)
}

// Append adds a line to a file.
func (d Dir) Append(name, line string) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}
	defer root.Close()
	file, err := root.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}
