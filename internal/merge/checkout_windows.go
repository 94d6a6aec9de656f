package merge

import "syscall"

// errNotFolder is what the system says when a file stands where a path needs a folder.
const errNotFolder = syscall.ERROR_PATH_NOT_FOUND
