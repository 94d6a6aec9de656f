package compare

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/analyze"
	"delegate/internal/keeper"
)

// TestMain lets the test binary be the child processes that a comparison starts.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	config, err := filepath.Abs("../../testdata/git/config")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
