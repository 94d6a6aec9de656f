package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/long"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// powered are the file systems that are cut off: how large an image each needs, and what keeps it
// from writing by itself meanwhile.
func powered() map[string][2]string {
	return map[string][2]string{
		"ext4":  {"64M", "loop,commit=300"},
		"xfs":   {"300M", "loop,nouuid"},
		"btrfs": {"128M", "loop,commit=300"},
	}
}

// A power cut: the repository and its worktrees lie on a file system of their own, and what its
// device was given by then is what is left.
func TestPowerCut(t *testing.T) {
	long.Only(t)
	if raced {
		t.Skip("the disk does not know of the race detector")
	}
	for kind, how := range powered() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if err := tryPower(t.TempDir(), kind, how); err != nil {
				t.Skipf("no file system of this kind can be made and mounted here: %v", err)
			}
			testscript.Run(t, testscript.Params{
				Dir: "testdata/power", RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error { return plugIn(env, kind, how) },
				Cmds:  map[string]func(*testscript.TestScript, bool, []string){"settle": settle, "cut": cut},
			})
		})
	}
}

func tryPower(dir, kind string, how [2]string) error {
	if err := makeDisk(dir, kind, how); err != nil {
		return err
	}
	return syscall.Unmount(filepath.Join(dir, "disk"), 0)
}

// makeDisk mounts a new file system at the folder disk. Its image is beside it.
func makeDisk(dir, kind string, how [2]string) error {
	if err := os.MkdirAll(filepath.Join(dir, "disk"), 0o755); err != nil {
		return err
	}
	image := filepath.Join(dir, "image")
	for _, args := range [][]string{{"truncate", "-s", how[0], image}, {"mkfs." + kind, "-q", image}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w %s", args, err, out)
		}
	}
	return mountDisk(dir, image, how[1])
}

func mountDisk(dir, image, options string) error {
	args := []string{"-o", options, image, filepath.Join(dir, "disk")}
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("mount %q: %w %s", args, err, out)
	}
	return nil
}

// optionsVariable has the mount options of the script's disk.
const optionsVariable = "DISK_OPTIONS"

func plugIn(env *testscript.Env, kind string, how [2]string) error {
	if err := makeDisk(env.WorkDir, kind, how); err != nil {
		return err
	}
	env.Defer(func() { // after a test that failed as well
		killAll(env.WorkDir)
		// until nothing is mounted there
		for syscall.Unmount(filepath.Join(env.WorkDir, "disk"), syscall.MNT_DETACH) == nil {
		}
	})
	env.Setenv(optionsVariable, how[1])
	return setUp(env)
}

// killAll ends every process whose environment names the folder.
func killAll(folder string) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		left := processesOf(folder)
		if len(left) == 0 {
			return
		}
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// settle has all that was done so far on the disk.
func settle(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("sync", "-f", filepath.Join(ts.Getenv("WORK"), "disk")))
}

// shutDown has the file system give the device nothing more, not even its log. ENOTTY from one that cannot, as btrfs:
// its copy is taken while it may write, which it does to free places only.
func shutDown(folder string) error {
	const shutdown, withoutLog = 0x8004587d, 2 // FS_IOC_SHUTDOWN, FS_SHUTDOWN_FLAGS_NOLOGFLUSH
	root, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return unix.IoctlSetPointerInt(int(root.Fd()), shutdown, withoutLog)
}

// cut takes what the device has by now, ends every process, and mounts that in the same place.
func cut(ts *testscript.TestScript, _ bool, _ []string) {
	work := ts.Getenv("WORK")
	image := filepath.Join(work, "image")
	if err := shutDown(filepath.Join(work, "disk")); err != nil && !errors.Is(err, unix.ENOTTY) {
		ts.Fatalf("shut down: %v", err)
	}
	if out, err := exec.Command("cp", "--sparse=always", image, image+"-cut").CombinedOutput(); err != nil {
		ts.Fatalf("copy what the device has: %v %s", err, out) // not by ts, whose folder cannot be read any more
	}
	killAll(work)
	if err := syscall.Unmount(filepath.Join(work, "disk"), syscall.MNT_DETACH); err != nil {
		ts.Fatalf("unmount: %v", err)
	}
	ts.Check(os.Rename(image+"-cut", image))
	ts.Check(mountDisk(work, image, ts.Getenv(optionsVariable)))
}
