//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// MayWrite reports whether this process may make files in a folder, as far as its permissions say.
func MayWrite(folder string) bool { return unix.Access(folder, unix.W_OK|unix.X_OK) == nil }
