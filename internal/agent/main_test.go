package agent_test

import (
	"fmt"
	"os"
	"testing"

	"delegate/internal/agent"
)

// TestMain lets this test binary be the keeper of its own turns, as delegate is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == agent.KeeperVerb {
		if err := agent.RunKeeper(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
