package run

import (
	"os/exec"
	"syscall"
)

// bind has the system ask the command to end when this process does.
// What counts is the end of the thread that started it, so no thread of this program may end before
// the program does: a rule at the root forbids goroutines that are locked to theirs.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
