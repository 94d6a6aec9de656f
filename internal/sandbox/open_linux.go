package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// openRoot is a descriptor of the worktree by which its places are found.
func openRoot(worktree string) (int, error) {
	fd, err := unix.Open(worktree, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open %q: %w", worktree, err)
	}
	return fd, nil
}

// openBelow finds a place below the root without following a link, as one could have been put there to lead elsewhere.
func openBelow(root int, path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(root, rooted(path), &how)
	if err != nil {
		return -1, fmt.Errorf("open %q: %w", path, err)
	}
	return fd, nil
}
