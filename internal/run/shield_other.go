//go:build !linux

package run

// Shield does nothing on this system.
func Shield() error { return nil }
