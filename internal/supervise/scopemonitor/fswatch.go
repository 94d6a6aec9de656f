package scopemonitor

import (
	"errors"
)

// errOverflow says that a watcher does not see everything any more.
var errOverflow = errors.New("lost track of what happens in the worktree")
