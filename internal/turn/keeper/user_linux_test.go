package keeper_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
)

// TestTriesOfAShieldedProcessAreReported holds that a process cannot hide what it tries by closing its names in /proc.
func TestTriesOfAShieldedProcessAreReported(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	f, place := enclosure(t, sandbox.Open)
	script := `import ctypes, os
folder = os.open("src/..", os.O_RDONLY)
ctypes.CDLL(None).prctl(4, 0)
try:
    os.open("new", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
except OSError as e:
    print(e)
`
	var out bytes.Buffer
	if _, err := f.Run(t.Context(), run.Command{Path: "/usr/bin/env", Args: []string{"python3", "-c", script},
		Dir: place.Worktree, Stdout: &out, Stderr: &out}); err != nil {
		t.Fatal(err)
	}
	refusals, err := keeper.Turn{Dir: place.Turn}.Refusals()
	if want := filepath.Join(place.Worktree, "new"); err != nil || len(refusals) != 1 || refusals[0].Path != want {
		t.Errorf("told %v, %v; want %q\n%s", refusals, err, want, out.String())
	}
}

// TestFenceOfAnOrdinaryUser has an ordinary user make what root's rights could hide: who made a namespace has every
// right in it, but not with the files in which the kernel tells of a process that shields itself.
func TestFenceOfAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("these tests run as one anyway")
	}
	if s := sandbox.Detect(t.Context()); !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
	names := []string{"TestNetworkThroughTheProxy", "TestRefusalsAreReported", "TestTriesOfAShieldedProcessAreReported",
		"TestSocketsOfOthers", "TestConnectionsThatWait"}
	folder, err := os.MkdirTemp("", "user-") // everybody may go through it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	const nobody = 65532
	program, tmp := filepath.Join(folder, "tests"), filepath.Join(folder, "tmp")
	data, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.Chmod(folder, 0o755), os.WriteFile(program, data, 0o755), os.Mkdir(tmp, 0o700),
		os.Chown(tmp, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.v", "-test.run", "^("+strings.Join(names, "|")+")$")
	c.Dir, c.Env = tmp, append(os.Environ(), "HOME="+tmp, "TMPDIR="+tmp)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	for _, name := range names {
		if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) && !bytes.Contains(out, []byte("--- SKIP: "+name+" ")) {
			t.Errorf("%s does not hold", name)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
}
