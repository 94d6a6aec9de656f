//go:build linux

package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// largeFile is from where on a file is known by its times and length alone, and put back from elsewhere.
const largeFile = 4 << 20

// entry is everything that an attack could change of one path.
type entry struct {
	mode    fs.FileMode
	uid     uint32
	gid     uint32
	links   uint64
	size    int64
	written int64 // when, in nanoseconds
	touched int64 // when anything of it changed, which nobody can set
	inode   uint64
	target  string // of a link
	data    []byte
	labels  string // extended attributes
}

// fingerprint is a folder with everything in it, by paths from there.
type fingerprint map[string]entry

// takeFingerprint looks at everything below root but the folders named. Content that cannot have
// changed since before is not read again.
func takeFingerprint(root string, before fingerprint, without ...string) (fingerprint, error) {
	print := fingerprint{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since it was listed
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if slices.Contains(without, name) {
			return filepath.SkipDir
		}
		e, err := takeEntry(path, before[name])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		print[name] = e
		return err
	})
	return print, err
}

func takeEntry(path string, before entry) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	e := entry{
		mode: info.Mode(), uid: stat.Uid, gid: stat.Gid, links: uint64(stat.Nlink), size: info.Size(), inode: stat.Ino,
		written: stat.Mtim.Nano(), touched: stat.Ctim.Nano(),
	}
	if before.inode == e.inode && before.touched == e.touched && before.mode == e.mode {
		return before, nil
	}
	names := make([]byte, 1024)
	if n, err := unix.Llistxattr(path, names); err == nil {
		e.labels = string(names[:n])
	}
	switch {
	case info.IsDir():
		e.size, e.links, e.written = 0, 0, 0 // they tell of its entries, which are looked at themselves
	case info.Mode()&fs.ModeSymlink != 0:
		e.target, err = os.Readlink(path)
	case info.Mode().IsRegular() && e.size < largeFile:
		e.data, err = os.ReadFile(path)
	}
	return e, err
}

// differs says in words what is not the same, "" if all is.
func (e entry) differs(from entry) string {
	var what []string
	for name, same := range map[string]bool{
		"mode": e.mode == from.mode, "owner": e.uid == from.uid && e.gid == from.gid, "links": e.links == from.links,
		"target":  e.target == from.target,
		"content": e.size == from.size && bytes.Equal(e.data, from.data), "time": e.written == from.written ||
			e.mode&fs.ModeSymlink != 0, "attributes": e.labels == from.labels,
	} {
		if !same {
			what = append(what, name)
		}
	}
	slices.Sort(what)
	return strings.Join(what, ", ")
}

// changesTo lists what is different in a later fingerprint, as "path: what".
func (p fingerprint) changesTo(later fingerprint) map[string]string {
	changes := map[string]string{}
	for name, e := range p {
		now, there := later[name]
		if !there {
			changes[name] = "gone"
		} else if what := now.differs(e); what != "" {
			changes[name] = what
		}
	}
	for name := range later {
		if _, there := p[name]; !there {
			changes[name] = "new"
		}
	}
	return changes
}

// restore puts back what is different now below root, but for what keep names; large files are
// copied from one of the same base name in spare. Names may be absolute.
func (p fingerprint) restore(root, spare string, now fingerprint, keep func(name string) bool) error {
	at := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(root, name)
	}
	names := slices.Sorted(maps.Keys(p.changesTo(now)))
	for _, name := range slices.Backward(names) {
		if _, wanted := p[name]; keep(name) || wanted && p[name].mode.Type() == now[name].mode.Type() {
			continue
		}
		if err := os.RemoveAll(at(name)); err != nil {
			return err
		}
	}
	for _, name := range names {
		if e, wanted := p[name]; wanted && !keep(name) {
			if err := e.write(at(name), spare); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e entry) write(path, spare string) error {
	var err error
	switch {
	case e.mode.IsDir():
		if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	case e.mode&fs.ModeSymlink != 0:
		_ = os.Remove(path)
		if err = os.Symlink(e.target, path); err == nil {
			err = os.Lchown(path, int(e.uid), int(e.gid))
		}
		return err
	case e.mode.IsRegular() && e.size >= largeFile:
		err = duplicate(filepath.Join(spare, filepath.Base(path)), path)
	case e.mode.IsRegular():
		_ = os.Remove(path) // it may be somebody else's under a second name
		err = os.WriteFile(path, e.data, 0o600)
	default:
		return nil // sockets and pipes belong to whoever made them
	}
	if err == nil {
		err = os.Lchown(path, int(e.uid), int(e.gid))
	}
	if err == nil {
		err = os.Chmod(path, e.mode)
	}
	if err == nil {
		err = e.unlabel(path)
	}
	if err == nil && !e.mode.IsDir() {
		err = unix.UtimesNanoAt(unix.AT_FDCWD, path,
			[]unix.Timespec{unix.NsecToTimespec(e.written), unix.NsecToTimespec(e.written)}, 0)
	}
	return err
}

// unlabel takes away the extended attributes that a path did not have.
func (e entry) unlabel(path string) error {
	names := make([]byte, 1024)
	n, err := unix.Llistxattr(path, names)
	if err != nil {
		return nil // this file system has none
	}
	for label := range strings.SplitSeq(string(names[:n]), "\x00") {
		if label != "" && !strings.Contains(e.labels, label) {
			err = errors.Join(err, unix.Lremovexattr(path, label))
		}
	}
	return err
}

func duplicate(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	_ = os.Remove(to)
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

var looseObject = regexp.MustCompile(`/objects/([0-9a-f]{2})/([0-9a-f]{38})$`)

// honest says whether a new file among the objects is one: content that its name is the hash of.
func (e entry) honest(name string) error {
	id := looseObject.FindStringSubmatch("/" + name)
	if id == nil {
		return fmt.Errorf("%q is no object", name)
	}
	content, err := zlib.NewReader(bytes.NewReader(e.data))
	if err != nil {
		return fmt.Errorf("object %q: %w", name, err)
	}
	hash := sha1.New()
	if _, err := io.Copy(hash, content); err != nil {
		return fmt.Errorf("object %q: %w", name, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != id[1]+id[2] {
		return fmt.Errorf("object %q holds %s", name, got)
	}
	return nil
}
