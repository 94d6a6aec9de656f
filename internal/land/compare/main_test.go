package compare

import (
	"os"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/internal/land/analyze"
	"delegate/internal/turn/keeper"
)

// TestMain lets the test binary be the child processes that a comparison starts.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}
