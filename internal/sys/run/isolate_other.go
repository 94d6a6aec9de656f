//go:build !linux

package run

import "os/exec"

func isolate(*exec.Cmd, Command) {}
func bind(*exec.Cmd)             {}
func bindForGood(*exec.Cmd)      {}

// Shield does nothing on this system.
func Shield() error { return nil }
