//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// Reflink is not offered for open files here.
func Reflink(*os.File, *os.File) error { return errors.ErrUnsupported }
