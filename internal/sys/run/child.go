package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Child is a program that this process keeps: in a group of its own, with all its descendants, to their end.
type Child struct {
	Identity Identity
	cmd      *exec.Cmd
}

// Exit is how a child ended: its status, or the signal that ended it (Code is then -1).
type Exit struct {
	Code   int
	Signal string
}

// Keep starts the command as a child in a process group of its own.
func Keep(c Command) (*Child, error) {
	cmd := command(context.Background(), c)
	if c.Session {
		ownSession(cmd) // and with it a group of its own
	} else {
		ownGroup(cmd)
	}
	if c.Terminal {
		controlTerminal(cmd)
	}
	if c.Bound {
		bindForGood(cmd)
	}
	isolate(cmd, c)
	if err := cmd.Start(); err != nil {
		return nil, startError(c.Path, err)
	}
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		id = Identity{PID: cmd.Process.Pid} // already over; Wait tells how
	}
	return &Child{Identity: id, cmd: cmd}, nil
}

// Wait waits for the child itself; its descendants may live on until Clear.
func (c *Child) Wait() (Exit, error) {
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Exit{}, fmt.Errorf("wait for process %d: %w", c.Identity.PID, err)
	}
	state := c.cmd.ProcessState
	return Exit{Code: state.ExitCode(), Signal: signalName(state)}, nil
}

// Interrupt sends the child what a person's Ctrl-C sends, and then the others of its group.
func (c *Child) Interrupt() error { return interruptGroup(c.Identity) }

// Stop ends the child and everything below this process: politely, then for good after grace.
// The child itself is collected by Wait, which must be under way or come next.
func (c *Child) Stop(grace time.Duration) error {
	return EndAll(func() []Process { return Descendants(os.Getpid()) }, grace)
}

// Clear ends what the child left behind once Wait has returned, and collects the orphans this process adopted. Without
// a mark only what is below this process is looked for.
func (c *Child) Clear(mark string, grace time.Duration) error {
	return EndAll(func() []Process {
		if reapOrphans() && mark == "" {
			return nil
		}
		all := processes() // once for both: it takes some milliseconds
		left := tableOf(all).Below(os.Getpid())
		if mark == "" {
			return left
		}
		for _, p := range marked(all, mark) {
			if !isAncestor(p.PID) {
				left = append(left, p)
			}
		}
		return left
	}, grace)
}

// Reap collects ended orphans that this process adopted, so that they do not pile up while the child runs on.
func (c *Child) Reap() {
	for _, p := range processes() {
		if p.Zombie && p.Parent == os.Getpid() && p.PID != c.Identity.PID {
			reap(p.PID)
		}
	}
}

// isAncestor spares the chain above this process when marks are searched.
func isAncestor(pid int) bool {
	at := os.Getppid()
	for range 256 {
		if at == pid {
			return true
		}
		p, err := lookup(at)
		if err != nil || at <= 1 {
			return false
		}
		at = p.Parent
	}
	return false
}
