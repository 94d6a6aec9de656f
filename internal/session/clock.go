package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/registry"
)

// stopwatch measures how long a turn has worked, by a clock that is not moved when somebody sets the time.
type stopwatch struct {
	mono   func() time.Duration // time since some fixed moment
	last   time.Duration
	worked time.Duration
	gap    time.Duration // between the last two looks
}

// steady is the clock of this process that only goes forward.
func steady() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

func startWatch(mono func() time.Duration, worked time.Duration) stopwatch {
	return stopwatch{mono: mono, last: mono(), worked: worked}
}

// look takes in the time since the last look.
func (w *stopwatch) look() {
	now := w.mono()
	w.gap = now - w.last
	w.worked += w.gap
	w.last = now
}

// clockNote is what the stopwatch showed, kept with the turn: for those who look from other
// processes, and for the next supervisor.
type clockNote struct {
	Worked time.Duration `json:"worked_ns"`
	At     time.Time     `json:"at"`
}

// noteEvery is how often the stopwatch is written down.
const noteEvery = 10 * time.Second

func clockFile(t keeper.Turn) string { return filepath.Join(t.Dir, "clock.json") }

// writeClock notes the stopwatch. It is comfort: a note that cannot be written or read leaves the wall clock.
func writeClock(t keeper.Turn, n clockNote) {
	if data, err := json.Marshal(n); err == nil {
		_ = os.WriteFile(clockFile(t), data, 0o600)
	}
}

// workedUntil is how long a turn had worked at the moment at: what the last note says and the time
// since. One that has not begun has not worked.
func workedUntil(t keeper.Turn, at time.Time) time.Duration {
	var n clockNote
	if record, err := t.Record(); err == nil {
		n.At = record.Started
	}
	if data, err := os.ReadFile(clockFile(t)); err == nil {
		_ = json.Unmarshal(data, &n)
	}
	if n.At.IsZero() {
		return 0
	}
	return n.Worked + max(0, at.Sub(n.At))
}

// elapsed is the agent's RUNNING time so far.
func elapsed(p *project.Project, session string, a registry.Agent) time.Duration {
	if a.Status != registry.Running || a.RunningSince.IsZero() {
		return a.RunTime
	}
	turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, a.Turns)}
	return a.RunTime + workedUntil(turn, p.Now())
}

// timeLimit is the RUNNING time an agent has, 0 for no limit.
func timeLimit(session time.Duration, a registry.Agent) time.Duration {
	if session == 0 {
		return 0
	}
	return session + a.Extended
}

// stopClock adds the running time of a turn that is over.
func stopClock(worked time.Duration, now time.Time) func(*registry.Agent) {
	return func(a *registry.Agent) {
		a.RunTime += worked.Round(time.Second)
		a.RunningSince, a.LastActivity = time.Time{}, now
	}
}
