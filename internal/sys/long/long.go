// Package long says whether the tests that take long are to run. They take seconds each, or tools, mounts and
// compilers that a machine need not have; what they show has a short test beside it that always runs.
//
//	go test -tags long ./...
package long

import (
	"slices"
	"testing"
)

// Only skips a test that takes long, unless the tag long is set.
func Only(t testing.TB) {
	t.Helper()
	if !Set {
		t.Skip("takes long; the tag long runs it")
	}
}

// Or is how much a test tries: all with the tag long, else some.
func Or(all, some int) int {
	if Set {
		return all
	}
	return some
}

// Except is Only for the cases of a table but those that are named.
func Except(t testing.TB, name string, always ...string) {
	t.Helper()
	if !slices.Contains(always, name) {
		Only(t)
	}
}
