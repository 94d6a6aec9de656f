//go:build unix

package session

import (
	"io/fs"
	"syscall"
)

func fileNumber(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
