package git

import (
	"io/fs"
	"os"
	"syscall"
)

// owned is the device that a file lies on, and whether the person who runs this owns it.
func owned(info fs.FileInfo) (device uint64, own bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return s.Dev, s.Uid == uint32(os.Geteuid())
}

// inode returns the number of a file, which another one in its place has not.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
