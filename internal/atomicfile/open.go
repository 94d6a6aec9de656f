package atomicfile

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

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
	return io.ReadAll(io.LimitReader(file, most))
}
