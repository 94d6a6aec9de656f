package run

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate starts the command in its control group, and as the first process of its namespaces, under the same user and
// group ids. It keeps the capabilities in them that it needs to arrange them; they reach nothing outside.
// CAP_DAC_OVERRIDE is for the work folders of layers, whose mode lets nobody write there.
func isolate(cmd *exec.Cmd, c Command) {
	if c.Within == nil && c.Namespaces == sharedNamespaces {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	attr := cmd.SysProcAttr
	if c.Within != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(c.Within.Fd())
	}
	if c.Namespaces == sharedNamespaces {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	if c.Namespaces == OwnNetworkToo {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_RESOURCE,
		unix.CAP_DAC_OVERRIDE}
}

// bind has the system ask the command to end when this process does.
// What counts is the end of the thread that started it, so no thread of this program may end before
// the program does: a rule at the root forbids goroutines that are locked to theirs.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// bindForGood is bind for a program that keeps its attributes and need not have a last word.
func bindForGood(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// Shield keeps other processes of the same user, which may be an agent's, from reading this one's
// memory and open files, where the system can.
func Shield() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("shield process: %w", err)
	}
	return nil
}
