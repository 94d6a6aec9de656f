//go:build !linux

package git

import (
	"errors"
	"io/fs"
)

func shareBlocks(string, string, fs.FileMode) error { return errors.ErrUnsupported }
