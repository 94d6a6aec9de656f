package forge_test

import (
	"os"
	"testing"

	"delegate/internal/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}
