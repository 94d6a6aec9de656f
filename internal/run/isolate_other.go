//go:build !linux

package run

import "os/exec"

func isolate(*exec.Cmd, Namespaces) {}
func bind(*exec.Cmd)                {}

// Shield does nothing on this system.
func Shield() error { return nil }
