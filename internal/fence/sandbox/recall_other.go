//go:build !linux

package sandbox

// Remember keeps nothing: on this system each command tries for itself.
func Remember(string, Support) error { return nil }

// Recall remembers nothing on this system.
func Recall(string) (Support, bool) { return Support{}, false }
