//go:build !linux && !darwin && !windows

package doctor

import "errors"

// free does not know how this system says it.
func free(string) (int64, error) { return 0, errors.ErrUnsupported }
