package scopemonitor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// watcher learns from the kernel which files below a folder are written, made, moved or removed, so
// that nobody has to look at those that are not. It misses some ways of writing (a mapped file that
// stays open, a file that is linked elsewhere): its user looks as well, now and then.
type watcher struct {
	file    *os.File // closed by the runtime when nobody uses the watcher any more
	root    string
	folders map[int32]string // from the root, by the number of their watch
	most    int
}

const (
	mostFolders   = 8192 // that one watcher is for
	watchedEvents = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM |
		unix.IN_MOVED_TO |
		unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK
)

// newWatcher begins to watch what happens below the folder; nil where the system has no room for that.
func newWatcher(root string) *watcher {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	e := &watcher{file: os.NewFile(uintptr(fd), "inotify"), root: root, folders: map[int32]string{}, most: mostFolders}
	// The person's editor needs watches too, and all programs of a user share one number.
	if data, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches"); err == nil {
		if all, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			e.most = min(e.most, all/8)
		}
	}
	if !e.add(".") {
		e.file.Close()
		return nil
	}
	return e
}

// add watches the folder and all below it, and reports whether it could. A folder that vanishes meanwhile is no fault.
func (e *watcher) add(folder string) bool {
	whole := true
	_ = filepath.WalkDir(filepath.Join(e.root, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		name, err := filepath.Rel(e.root, path)
		if err == nil && len(e.folders) < e.most {
			err = e.addOne(path, name)
		} else {
			err = unix.ENOSPC
		}
		if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
			whole = false
			return filepath.SkipAll
		}
		return nil
	})
	return whole && len(e.folders) > 0
}

func (e *watcher) addOne(path, name string) error {
	raw, err := e.file.SyscallConn()
	if err != nil {
		return err
	}
	var added error
	err = raw.Control(func(fd uintptr) {
		var wd int
		if wd, added = unix.InotifyAddWatch(int(fd), path, watchedEvents); added == nil {
			e.folders[int32(wd)] = name
		}
	})
	return errors.Join(err, added)
}

// events are the paths from the root at which something happened since the last call, each once;
// nil and false if these are too many to tell. With an error it lost track, and is of no use any
// more.
func (e *watcher) events() (paths []string, all bool, err error) {
	const most = 1000
	seen := map[string]bool{}
	buffer := make([]byte, 64<<10)
	for {
		n := e.read(buffer)
		if n <= 0 && len(paths) > most {
			return nil, false, nil
		}
		if n <= 0 {
			return paths, true, nil
		}
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			rest = rest[end:]
			path := filepath.Join(e.folders[wd], string(name))
			if !e.follow(path, wd, mask) {
				return nil, false, errors.Join(errOverflow, e.file.Close())
			}
			if !seen[path] && len(name) > 0 && len(paths) <= most {
				seen[path] = true
				paths = append(paths, filepath.ToSlash(path))
			}
		}
	}
}

// follow keeps up with folders that come and go, and reports whether it could. Those below one that
// was moved have other names now.
func (e *watcher) follow(path string, wd int32, mask uint32) bool {
	switch folder := mask&unix.IN_ISDIR != 0; {
	case mask&unix.IN_Q_OVERFLOW != 0, folder && mask&unix.IN_MOVED_FROM != 0:
		return false
	case mask&unix.IN_IGNORED != 0:
		delete(e.folders, wd)
	case folder && mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		return e.add(path)
	}
	return true
}

func (e *watcher) read(buffer []byte) (n int) {
	raw, err := e.file.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), buffer)
		return true // nothing there is an answer too
	})
	if err != nil {
		return 0
	}
	return n
}
