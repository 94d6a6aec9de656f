package land_test

import (
	"slices"
	"strings"
	"testing"
)

// plain leaves a test to the run without the race detector: all that it does is done by other
// programs, one after the other.
func plain(t *testing.T) {
	t.Helper()
	if Raced {
		t.Skip("nothing in it runs side by side; the run without the race detector has it")
	}
}

// sample lets some of the tests with a repository run under the race detector: this package starts no goroutine,
// and nearly all of their time is git's.
func sample(t *testing.T) {
	t.Helper()
	whole, _, _ := strings.Cut(t.Name(), "/")
	if !slices.Contains([]string{"TestBuildClean", "TestBuildVerify", "TestKilledAfterEveryStep", "TestLandTogether",
		"TestComplete", "TestIntegrate", "TestWritersRace", "TestMemory"}, whole) {
		plain(t)
	}
}
