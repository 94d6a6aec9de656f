package threeway

import (
	"os"
	"testing"

	"delegate/internal/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}
