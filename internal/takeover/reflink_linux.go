package takeover

import (
	"os"

	"golang.org/x/sys/unix"
)

// reflink shares the file's blocks until one side writes, where the file system can.
func reflink(to, from *os.File) error {
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
}
