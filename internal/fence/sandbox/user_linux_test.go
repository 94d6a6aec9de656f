package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// detectWord has this test binary print what this machine can do for its user.
const detectWord = "__detect"

func printSupport() error { return json.NewEncoder(os.Stdout).Encode(Detect(context.Background())) }

// TestSupportOfAnOrdinaryUser holds that an ordinary user has every layer that root has.
func TestSupportOfAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	root := Detect(context.Background())
	if !root.Namespaces {
		t.Skip("no namespaces here: ", root.Fault)
	}
	folder, err := os.MkdirTemp("", "user-") // everybody may go through it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	program := filepath.Join(folder, "tests")
	data, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.Chmod(folder, 0o755), os.WriteFile(program, data, 0o755)); err != nil {
		t.Fatal(err)
	}
	const nobody = 65532
	c := exec.Command(program, detectWord)
	c.Dir, c.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var user Support
	if err := json.Unmarshal(out, &user); err != nil || user != root {
		t.Errorf("a user has %+v, %v; root has %+v", user, err, root)
	}
}
