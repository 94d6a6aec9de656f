//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// ignoreHangup lets the supervisor outlive the terminal it was started from.
func ignoreHangup() { signal.Ignore(syscall.SIGHUP, syscall.SIGINT) }
