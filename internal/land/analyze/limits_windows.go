package analyze

import (
	"errors"
	"time"
)

// On Windows the parent's clock and the memory limit of the garbage collector are all.

func lower(uint64, func()) error { return errors.ErrUnsupported }

func used() time.Duration { return 0 }

func allow(time.Duration) {}
