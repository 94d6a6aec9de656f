//go:build !windows

package analyze

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"time"
)

// lower takes from the process what it has no need of, and calls spent when its processor time is
// used up.
func lower(memory uint64, spent func()) error {
	for what, most := range map[int]uint64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_NOFILE: 256, syscall.RLIMIT_DATA: memory,
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(what, &now); err != nil {
			return fmt.Errorf("limit the analysis: %w", err)
		}
		now.Max = min(now.Max, most)
		now.Cur = now.Max
		if err := syscall.Setrlimit(what, &now); err != nil {
			return fmt.Errorf("limit the analysis: %w", err)
		}
	}
	over, _ := signal.NotifyContext(context.Background(), syscall.SIGXCPU)
	context.AfterFunc(over, spent)
	return nil
}

// used is the processor time that the process has had.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// allow has the system say when the process has used so much, to the second.
func allow(until time.Duration) {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CPU, &now) != nil {
		return // the parent's clock is left
	}
	now.Cur = min(now.Max, uint64(max(until.Round(time.Second), used().Truncate(time.Second)+time.Second)/time.Second))
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &now)
}
