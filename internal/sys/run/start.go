package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
)

// StartError says why a program did not start, in words: Go's own error names calls of the system.
type StartError struct {
	Program string
	err     error
}

func (e *StartError) Error() string {
	var at *fs.PathError
	switch is := errors.As(e.err, &at); {
	case errors.Is(e.err, exec.ErrNotFound):
		return fmt.Sprintf("the program %q is in no folder of PATH", e.Program)
	case is && at.Op == "chdir":
		return fmt.Sprintf("the program %q did not start: its working folder %q: %v", e.Program, at.Path, at.Err)
	case errors.Is(e.err, fs.ErrNotExist):
		return fmt.Sprintf("the program %q does not exist", e.Program)
	case errors.Is(e.err, fs.ErrPermission):
		return fmt.Sprintf("the program %q is not executable", e.Program)
	case is:
		return fmt.Sprintf("the program %q did not start: %v", e.Program, at.Err)
	}
	return fmt.Sprintf("the program %q did not start: %v", e.Program, e.err)
}

func (e *StartError) Unwrap() error { return e.err }

// startError is the error of a command that did not run to its end, as a *StartError if it did not even start.
func startError(program string, err error) error {
	_, looked := errors.AsType[*exec.Error](err)
	if at, is := errors.AsType[*fs.PathError](err); looked || is && (at.Op == "fork/exec" || at.Op == "chdir") {
		return &StartError{program, err}
	}
	return fmt.Errorf("run %q: %w", program, err)
}
