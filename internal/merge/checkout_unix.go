//go:build !windows

package merge

import "syscall"

// errNotFolder is what the system says when a file stands where a path needs a folder.
const errNotFolder = syscall.ENOTDIR
