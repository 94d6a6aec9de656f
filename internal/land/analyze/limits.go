package analyze

import (
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// mostMemory is how much the child may have, more than ten times what it takes for two branches
// that change all of the files of this program. Near it the garbage collector works harder, at the
// cost of the processor time that is limited too.
const mostMemory = 3 << 30

// mostSteps is how many times the processor time of one step all steps of a pair may take together.
const mostSteps = 12

// The exit statuses of a child whose processor time is used up: that of a step, or that of all
// together.
const (
	spent      = 24
	spentInAll = 25
)

// limits of processor time, which the child carries with it from step to step.
type limits struct {
	perStep time.Duration // 0 for none
	end     atomic.Int64  // of this pair, in nanoseconds of this process's processor time
	mu      sync.Mutex    // of those that work side by side
	last    time.Time     // when a step was given its time
}

// begin is the beginning of a pair.
func (l *limits) begin() {
	if l.perStep > 0 {
		l.end.Store(int64(used() + mostSteps*l.perStep))
		l.mu.Lock()
		l.last = time.Time{}
		l.mu.Unlock()
	}
	l.step()
}

// shortStep is how soon one step follows another to share its time: the system counts in seconds, and most steps take
// less than what it costs to tell it.
const shortStep = 10 * time.Millisecond

// step gives what comes next its time.
func (l *limits) step() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.perStep > 0 && now.Sub(l.last) >= shortStep {
		allow(min(used()+l.perStep, time.Duration(l.end.Load())))
		l.last = now
	}
}

// leave ends the process when the system says that it has had its time.
func (l *limits) leave() {
	if used() >= time.Duration(l.end.Load()) {
		os.Exit(spentInAll)
	}
	os.Exit(spent)
}

// lowerLimits sets the limits that a process keeps.
func (l *limits) lowerLimits(r request) error {
	l.perStep = r.Limit
	debug.SetMemoryLimit(int64(r.Memory / 4 * 3))
	if err := lower(r.Memory, l.leave); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
