package keeper_test

import (
	"os"
	"strings"
	"testing"

	"delegate/internal/turn/keeper"
)

// socketsVariable has this test binary speak over Unix sockets.
const socketsVariable = "AGENT_TEST_SOCKETS"

// TestMain lets this test binary be the keeper of its own turns, as delegate is.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if address := os.Getenv(fetchVariable); address != "" {
		os.Exit(fetch(address))
	}
	if words := os.Getenv(socketsVariable); words != "" {
		os.Exit(sockets(strings.Split(words, "\n")))
	}
	os.Exit(m.Run())
}
