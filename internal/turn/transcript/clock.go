package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/keeper"
)

// Stopwatch measures how long a turn has worked, by a clock that is not moved when somebody sets the time.
type Stopwatch struct {
	mono   func() time.Duration // time since some fixed moment
	last   time.Duration
	Worked time.Duration
	Gap    time.Duration // between the last two looks
	noted  time.Duration // mono when it was last written down, 0 if it was not
}

// Steady is the clock of this process that only goes forward.
func Steady() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// NewStopwatch begins to measure a turn that has worked for a while already.
func NewStopwatch(mono func() time.Duration, worked time.Duration) Stopwatch {
	return Stopwatch{mono: mono, last: mono(), Worked: worked}
}

// Look takes in the time since the last look, and writes down with the turn now and then what the stopwatch shows:
// for those who look from other processes, and for the next supervisor. A note that cannot be written leaves
// the last one, one that cannot be read the wall clock.
func (w *Stopwatch) Look(turn keeper.Turn, now time.Time) {
	w.Worked += w.pass()
	w.note(turn, now)
}

// Rest is Look for time in which the turn did not work.
func (w *Stopwatch) Rest(turn keeper.Turn, now time.Time) {
	w.pass()
	w.note(turn, now)
}

// Skip is Rest for time in which the turn had not begun, of which nothing is written down.
func (w *Stopwatch) Skip() { w.pass() }

// pass takes in the time since the last look.
func (w *Stopwatch) pass() time.Duration {
	at := w.mono()
	w.Gap, w.last = at-w.last, at
	return w.Gap
}

func (w *Stopwatch) note(turn keeper.Turn, now time.Time) {
	if w.noted != 0 && w.last-w.noted < noteEvery {
		return
	}
	data, err := json.Marshal(clockNote{Worked: w.Worked, At: now.UTC()})
	if err == nil && atomicfile.WriteUnsynced(clockFile(turn), data, 0o600) == nil {
		w.noted = w.last // else the next look tries again, and the last note stays
	}
}

// noteEvery is how often the stopwatch is written down.
const noteEvery = 10 * time.Second

// clockNote is what the stopwatch showed at a moment.
type clockNote struct {
	Worked time.Duration `json:"worked_ns"`
	At     time.Time     `json:"at"`
}

func clockFile(t keeper.Turn) string { return filepath.Join(t.Dir, "clock.json") }

// Worked is how long a turn had worked at the moment at: what the last note says and the time
// since. One that has not begun has not worked.
func Worked(t keeper.Turn, at time.Time) time.Duration {
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
