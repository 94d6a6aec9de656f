package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/keeper"
)

// Stopwatch measures how long a turn has worked, by a clock that is not moved when somebody sets the time.
type Stopwatch struct {
	mono   func() time.Duration // time since some fixed moment
	last   time.Duration
	Worked time.Duration
	Gap    time.Duration // between the last two looks
}

// Steady is the clock of this process that only goes forward.
func Steady() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

func NewStopwatch(mono func() time.Duration, worked time.Duration) Stopwatch {
	return Stopwatch{mono: mono, last: mono(), Worked: worked}
}

// Look takes in the time since the last look.
func (w *Stopwatch) Look() {
	now := w.mono()
	w.Gap = now - w.last
	w.Worked += w.Gap
	w.last = now
}

// ClockNote is what the stopwatch showed, kept with the turn: for those who look from other
// processes, and for the next supervisor.
type ClockNote struct {
	Worked time.Duration `json:"worked_ns"`
	At     time.Time     `json:"at"`
}

// NoteEvery is how often the stopwatch is written down.
const NoteEvery = 10 * time.Second

func clockFile(t keeper.Turn) string { return filepath.Join(t.Dir, "clock.json") }

// WriteClock notes the stopwatch. It is comfort: a note that cannot be written or read leaves the wall clock.
func WriteClock(t keeper.Turn, n ClockNote) {
	if data, err := json.Marshal(n); err == nil {
		_ = os.WriteFile(clockFile(t), data, 0o600)
	}
}

// Worked is how long a turn had worked at the moment at: what the last note says and the time
// since. One that has not begun has not worked.
func Worked(t keeper.Turn, at time.Time) time.Duration {
	var n ClockNote
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
