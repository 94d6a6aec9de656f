//go:build !linux

package sandbox

import "os"

// lives are what this test binary does under these first arguments.
func lives() map[string]func() error {
	return map[string]func() error{Verb: func() error { return Enter(os.Args[2:]) }}
}
