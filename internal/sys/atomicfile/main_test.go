package atomicfile

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The test binary runs itself as another process: ROLE says what that one does.
const roleVariable = "ATOMICFILE_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles()[role](os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func roles() map[string]func([]string) error {
	return map[string]func([]string) error{
		"hold":      holdLock,
		"kill":      killAtStep,
		"full":      writeToFull,
		"increment": increment,
	}
}

func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// leftovers lists hidden and displaced files beside a file.
func leftovers(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.Contains(e.Name(), displacedMark) {
			out = append(out, e.Name())
		}
	}
	return out
}
