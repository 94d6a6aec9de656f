package agentdir

import (
	"crypto/rand"
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

// Unmarked is that entry for a process that is told the folder as well and belongs to no turn: Mark does not find it.
func (d Dir) Unmarked() string { return markPrefix + string(d) + "/." }

// OfMark is the folder of the agent whose processes carry the mark.
func OfMark(mark string) Dir { return Dir(strings.TrimPrefix(mark, markPrefix)) }

// Heartbeat is the file that an agent with that id touches to say that it is alive.
func Heartbeat(id string) string { return "HEARTBEAT_" + id + ".md" }

// HookSeen is the file that the pre-tool hook touches whenever it is asked.
const HookSeen = "hook-seen"

// in opens the folder, out of which nothing leads then, and says with an error what was done to which name.
func (d Dir) in(operation, name string, do func(*os.Root) error) error {
	root, err := os.OpenRoot(string(d))
	if err == nil {
		defer root.Close()
		err = do(root)
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", operation, name, err)
	}
	return nil
}

// Read is the content of a regular file of at most most bytes. The error wraps fs.ErrNotExist if there is none.
func (d Dir) Read(name string, most int64) (data []byte, err error) {
	err = d.inFile(name, func(file *os.File, size int64) error {
		if size > most {
			return fmt.Errorf("it has more than %d bytes", most)
		}
		data, err = io.ReadAll(io.LimitReader(file, most))
		return err
	})
	return data, err
}

// ReadFrom is the content of a regular file from an offset on, at most so many bytes of it; none if it is shorter.
func (d Dir) ReadFrom(name string, offset, most int64) (data []byte, err error) {
	err = d.inFile(name, func(file *os.File, _ int64) error {
		data, err = io.ReadAll(io.NewSectionReader(file, offset, most))
		return err
	})
	return data, err
}

// inFile opens a regular file of the folder to be read.
func (d Dir) inFile(name string, read func(file *os.File, size int64) error) error {
	return d.in("read", name, func(root *os.Root) error {
		file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return errors.New("it is no file")
		}
		return read(file, info.Size())
	})
}

// Match is the last of the names that match a pattern of package path; "" for none.
func (d Dir) Match(pattern string) (name string, err error) {
	err = d.in("look for", pattern, func(root *os.Root) error {
		names, err := fs.Glob(root.FS(), pattern)
		if len(names) > 0 {
			name = names[len(names)-1]
		}
		return err
	})
	return name, err
}

// List is what lies in a folder of the agent's, at most so many entries; none if the folder is not there.
func (d Dir) List(name string, most int) (entries []fs.DirEntry, err error) {
	err = d.in("list", name, func(root *os.Root) error {
		unlock(root, name)
		dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		if entries, err = dir.ReadDir(most); errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return entries, err
}

// Folder makes a folder in the agent's own, in the place of anything else that the agent put there.
func (d Dir) Folder(name string) error {
	return d.in("make", name, func(root *os.Root) error {
		info, err := root.Lstat(name)
		if err == nil && !info.IsDir() {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
		return root.MkdirAll(name, 0o755)
	})
}

// Remove takes a file or folder away, links themselves and not what they lead to.
func (d Dir) Remove(name string) error {
	return d.in("remove", name, func(root *os.Root) error {
		unlock(root, path.Dir(name))
		return root.RemoveAll(name)
	})
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
	return d.in("write", name, func(root *os.Root) error {
		// Outside of the folder, whose readers take all that is in it, and by a name at which no agent can have a pipe.
		unfinished := ".new-" + rand.Text()
		file, err := root.OpenFile(unfinished, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		if err = errors.Join(err, file.Close()); err == nil {
			err = root.Rename(unfinished, name)
		}
		if err != nil {
			_ = root.Remove(unfinished)
		}
		return err
	})
}

// Put writes a whole file, in the place of one of that name, and answers with what stands there then.
func (d Dir) Put(name string, data []byte) (info fs.FileInfo, err error) {
	if err := d.write(name, data); err != nil {
		return nil, err
	}
	err = d.in("look at", name, func(root *os.Root) error {
		info, err = root.Lstat(name)
		return err
	})
	return info, err
}

// Append adds a line to a file.
func (d Dir) Append(name, line string) error {
	return d.in("append to", name, func(root *os.Root) error {
		file, err := root.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o644)
		if err != nil {
			return err
		}
		_, err = file.WriteString(line)
		return errors.Join(err, file.Close())
	})
}
