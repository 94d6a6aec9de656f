//go:build !windows

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ignoreHangup lets the supervisor outlive the terminal it was started from.
func ignoreHangup() { signal.Ignore(syscall.SIGHUP, syscall.SIGINT) }

// canSuspend says whether somebody can continue this process once it is stopped: a shell with job
// control in the same session, which gave it a group of its own. Without one the system ignores the
// signal that stops, and nothing would ever continue.
func canSuspend() bool {
	parent := os.Getppid()
	ours, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	theirs, err := unix.Getsid(parent)
	if err != nil || ours != theirs {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}
