package threeway

import (
	"os"
	"testing"

	"delegate/internal/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}
