//go:build !linux && !darwin

package sandbox

import (
	"context"
	"errors"

	"delegate/internal/sys/run"
)

// Wrap is the command as it is: this system has no layer that holds a policy.
func Wrap(c run.Command, _ string, _ NetworkMode, _ Support) run.Command { return c }

// Detect finds nothing on this system.
func Detect(context.Context) Support {
	return Support{Fault: "this system has no namespaces, and nothing of its own is used yet"}
}

// Enter cannot be done on this system.
func Enter([]string) error { return errors.New("build sandbox: this system has none") }

// WriteReport has nobody to tell on this system.
func WriteReport(Report) {}

// CloseReportsOnExec has nothing to keep on this system.
func CloseReportsOnExec() {}

// IgnoreFileSize has nothing to ignore: no size is limited on this system.
func IgnoreFileSize() {}

// AwaitNoListener waits for ever: nobody listens on this system.
func AwaitNoListener() { select {} }
