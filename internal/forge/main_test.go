package forge_test

import (
	"os"
	"testing"

	"delegate/internal/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}
