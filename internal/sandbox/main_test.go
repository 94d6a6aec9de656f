package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets this test binary carry policies out on itself, as delegate does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Verb {
		if err := Enter(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(StartFault)
		}
		return
	}
	os.Exit(m.Run())
}
