package keeper_test

import (
	"os"
	"testing"

	"delegate/internal/keeper"
)

// TestMain lets this test binary be the keeper of its own turns, as delegate is.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if address := os.Getenv(fetchVariable); address != "" {
		os.Exit(fetch(address))
	}
	os.Exit(m.Run())
}
