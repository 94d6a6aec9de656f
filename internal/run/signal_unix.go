//go:build !windows

package run

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd)   { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// controlTerminal is for a command with a session of its own.
func controlTerminal(cmd *exec.Cmd) { cmd.SysProcAttr.Setctty = true }

func killGroup(pid int) error      { return syscall.Kill(-pid, syscall.SIGKILL) }
func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) }

func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

func terminate(id Identity) { signal(id, syscall.SIGTERM) }
func kill(id Identity)      { signal(id, syscall.SIGKILL) }

func interrupt(id Identity) error {
	if !id.Alive() {
		return ErrNoProcess
	}
	return syscall.Kill(id.PID, syscall.SIGINT)
}

// signal looks at the process once more right before, so that a pid used again in between is spared.
func signal(id Identity, s syscall.Signal) {
	if id.Alive() {
		_ = syscall.Kill(id.PID, s)
	}
}

// reapOrphans collects the ended children that this process adopted.
func reapOrphans() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return
		}
	}
}

func reap(pid int) { _, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) }

func signalName(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
