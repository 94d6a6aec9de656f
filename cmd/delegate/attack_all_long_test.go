//go:build linux && long

package main

import (
	"os"
	"testing"
)

// attacks is the whole suite.
func attacks(t *testing.T) []attack {
	t.Helper()
	return readAttacks(t)
}

// persons are the users as whom the suite runs, by what they are called.
func persons() map[string]int {
	if os.Getuid() != 0 {
		return map[string]int{"user": os.Getuid()}
	}
	return map[string]int{"root": 0, "user": ordinaryUser}
}
