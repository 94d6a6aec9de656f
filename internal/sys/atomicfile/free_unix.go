//go:build linux || darwin

package atomicfile

import "golang.org/x/sys/unix"

// Free is how many bytes an ordinary user can still write on the disk that holds the path.
func Free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
