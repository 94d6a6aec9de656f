//go:build !linux && !darwin && !windows

package atomicfile

import "errors"

// Free does not know how this system says it.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
