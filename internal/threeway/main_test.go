package threeway

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
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
