//go:build !windows

package main

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// freeze is a shell's words for a command for which the repository and its worktrees are on a read-only file system.
const freeze = `set -e
for folder in "$WORK/repo" "$WORK/repo.delegate"; do
	mount --bind "$folder" "$folder"
	mount -o remount,bind,ro "$folder"
done
cd "$PWD"
exec "$@"`

// ownMounts are the arguments of unshare that give a command mounts of its own.
func ownMounts() string {
	if syscall.Getuid() == 0 {
		return "-m"
	}
	return "-rm"
}

// TestReadOnly runs the scripts in which nothing of the repository can be written.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	try := exec.Command("unshare", ownMounts(), "sh", "-c",
		`mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && ! touch "$0/x" 2>/dev/null`, folder)
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("no mounts of one's own here: %v: %s", err, out)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/readonly", Setup: setUp, RequireUniqueNames: true})
}

func readOnly(args []string) error {
	status, err := call(append([]string{"unshare", ownMounts(), "sh", "-c", freeze, "readOnly"}, args...))
	if err == nil && status != 0 {
		err = &exitError{code: status}
	}
	return err
}
