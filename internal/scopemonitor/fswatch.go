package scopemonitor

import (
	"errors"
)

// ErrOverflow says that an ear does not hear everything any more.
var ErrOverflow = errors.New("lost track of what happens in the worktree")
