package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets this test binary carry policies out on itself, as delegate does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if life := lives()[os.Args[1]]; life != nil {
			if err := life(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(StartFault)
			}
			return
		}
	}
	os.Exit(m.Run())
}
