package delegate

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMakeBuildsForTheSystem holds that `make build` asks for a static program only where the system's linker makes
// one.
func TestMakeBuildsForTheSystem(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	for system, static := range map[string]bool{"linux": true, "windows": true, "darwin": false} {
		typed := exec.Command("make", "--dry-run", "build")
		typed.Env = append(os.Environ(), "GOOS="+system)
		line, err := typed.Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(line), "-static") != static {
			t.Errorf("for %s: %s", system, line)
		}
	}
}
