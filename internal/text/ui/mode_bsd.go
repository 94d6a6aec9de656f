//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package ui

import "golang.org/x/sys/unix"

const (
	getMode = unix.TIOCGETA
	setMode = unix.TIOCSETA
	// longestLine is from how many bytes on the terminal may have dropped the end of a line.
	longestLine = 1000
)

// flushInput names the read queue by the flag that files opened for reading have in the kernel.
func flushInput(fd int) error {
	const readQueue = 1
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, readQueue)
}
