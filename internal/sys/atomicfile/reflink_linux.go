package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// Reflink makes an empty file hold what another one does, by sharing its blocks until one side writes. It is an error
// where the file system cannot, or the two are not on the same one.
func Reflink(to, from *os.File) error {
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
}
