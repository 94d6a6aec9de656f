//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// contained forbids all that it starts further user namespaces, as containers do.
const contained = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`

// heldByLandlock are attempts that the kernel has to stop where it gives no namespaces.
func heldByLandlock() []string {
	return []string{"001-absolute", "021-delete", "026-descriptors", "035-other-worktree", "056-socket", "101-main",
		"105-config", "307-trace", "325-limits", "403-registry"}
}

// TestAttacksInAContainer makes attempts as an ordinary user for whom no namespace can be made, so that Landlock and
// the filter of system calls are all there is.
func TestAttacksInAContainer(t *testing.T) {
	t.Parallel()
	unraced(t)
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = ordinaryUser, ordinaryUser
	}
	root, err := os.MkdirTemp("", "container-") // everybody may go through it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	program, work := filepath.Join(root, "tests"), filepath.Join(root, "cmd", "delegate")
	tmp := filepath.Join(root, "tmp")
	self, err := os.Executable()
	err = errors.Join(err, os.Chmod(root, 0o755), os.MkdirAll(work, 0o755), os.Mkdir(tmp, 0o755),
		os.Chown(tmp, uid, gid), duplicate(self, program),
		os.CopyFS(filepath.Join(root, "testdata", "attacks"), os.DirFS(attackFolder)))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/bin/sh", "-c", contained, "sh", program, "-test.v", "-test.run",
		"^TestAttacks$/^user$/^("+strings.Join(heldByLandlock(), "|")+")$")
	c.Dir = work
	c.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		Credential:  &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: true},
		AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE}}
	out, err := c.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
		t.Skip("this machine is such a container itself: TestAttacks ran there: ", err)
	}
	passed := bytes.Count(out, []byte("--- PASS: TestAttacks/user/"))
	if err != nil || passed != len(heldByLandlock()) {
		t.Errorf("%d of %d passed, %v\n%s", passed, len(heldByLandlock()), err, out)
	}
}
