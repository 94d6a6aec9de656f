//go:build !windows

package run

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

func ownGroup(cmd *exec.Cmd)   { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// controlTerminal is for a command with a session of its own.
func controlTerminal(cmd *exec.Cmd) { cmd.SysProcAttr.Setctty = true }

func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// leaderFirst is how long the leader of an interrupted group has before the others are interrupted too.
const leaderFirst = time.Second

// interruptGroup interrupts the leader of a group and then, once it has ended or had its time, the others. At once, a
// program could learn of its tool's end before its own interruption, and go on without the tool.
func interruptGroup(leader Identity) error {
	others := groupOf(leader.PID)
	if err := syscall.Kill(leader.PID, syscall.SIGINT); err != nil && len(others) == 0 {
		return err
	}
	for until := time.Now().Add(leaderFirst); len(others) > 0 && leader.Alive() && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	for _, other := range groupOf(leader.PID) {
		signal(other, syscall.SIGINT)
	}
	return nil
}

// groupOf are the living processes of a group but for its leader.
func groupOf(leader int) []Identity {
	var group []Identity
	for _, p := range processes() {
		if at, err := syscall.Getpgid(p.PID); err == nil && at == leader && p.PID != leader && !p.Zombie {
			group = append(group, Identity{PID: p.PID, Start: p.Start})
		}
	}
	return group
}

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

// reapOrphans collects the ended children that this process adopted, and says whether it has none any more, and so no
// descendants.
func reapOrphans() (none bool) {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return err == syscall.ECHILD
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
