package run

import (
	"os/exec"
	"syscall"
)

// bind has the system ask the command to end when this process does.
// Strictly it is the thread that starts it whose end counts; this program ends none of its threads before itself.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
