package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"delegate/checkpoint"
	"delegate/internal/agentdir"
	"delegate/internal/dialect"
	"delegate/internal/keeper"
	"delegate/internal/session"
	"delegate/internal/transcript"
	"delegate/registry"
)

// watch reads one turn's transcript as it grows.
type watch struct {
	turn    keeper.Turn
	number  int // of the turn
	scanner *checkpoint.Scanner
	tests   *checkpoint.TestDetector
	offset  int64
	found   []seenItem       // not yet recorded
	skip    int              // items that an earlier supervisor recorded
	counted int              // items seen in this turn, echoes left out
	last    *checkpoint.Item // the last valid block
	lastAt  time.Time        // no later than this
	written time.Time        // when the transcript last grew
	broken  *checkpoint.Item // the last malformed one, if no valid one came after it
	done    bool             // a completion was seen
	echoed  bool             // the block's form was printed with placeholders left in it

	clock    transcript.Stopwatch
	stopped  bool          // at its time limit
	noted    time.Duration // what the clock showed when it was last written down
	blockAt  time.Duration // what it showed when the last block was printed
	liveness liveness
	stall    stall
	usage    agentdir.Usage
	usageAt  session.Signature
	events   *eventState // of a program that prints events

	toolAt      time.Duration // what the clock showed when it first used a tool
	guardLooked bool          // it was looked whether its hook is asked
	patrol      patrol
	spoolDue    time.Duration // by the supervisor's clock
}

// seenItem is one block of the transcript. Late: an earlier completion of this turn counts.
type seenItem struct {
	checkpoint.Item
	late bool
}

func (s *supervisor) watchOf(a registry.Agent, turn keeper.Turn) *watch {
	if w := s.watches[a.ID]; w != nil && w.turn == turn {
		return w
	}
	w := &watch{turn: turn, number: a.Turns, scanner: checkpoint.NewScanner(checkpoint.Options{Agent: a.ID}),
		tests: checkpoint.NewTestDetector(s.state.Session.Verify...)}
	if a.Blocks.Turn == a.Turns {
		w.skip = a.Blocks.Count
	}
	if spec, err := turn.Spec(); err == nil && spec.Output == dialect.EventLines {
		w.events = &eventState{decoder: dialect.Decoder{Now: s.p.Now}, before: s.usedBefore(s.state.Session.ID, a)}
	}
	now := s.p.Now()
	if exit, err := turn.Exit(); err == nil {
		now = exit.Ended
	}
	w.clock = transcript.NewStopwatch(s.mono, transcript.Worked(turn, now))
	if a.LastCheckpoint.After(a.RunningSince) {
		w.blockAt = w.clock.Worked - max(0, now.Sub(a.LastCheckpoint))
	}
	w.stall = stallOf(a, s.window(a))
	s.watches[a.ID] = w
	return w
}

// keepClock lets the stopwatch go on and writes it down now and then.
func (w *watch) keepClock(now time.Time) {
	w.clock.Look()
	if w.noted == 0 || w.clock.Worked-w.noted >= transcript.NoteEvery {
		w.noted = w.clock.Worked
		transcript.WriteClock(w.turn, transcript.ClockNote{Worked: w.clock.Worked, At: now.UTC()})
	}
}

// read takes in what the transcript has grown by, a bounded amount at a time.
func (w *watch) read() error {
	const portion = 8 << 20
	file, err := os.Open(w.turn.Output())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < w.offset {
		// somebody cut the transcript off: what is there now is read from its beginning, what was seen stays recorded
		w.offset = 0
	}
	if _, err := file.Seek(w.offset, io.SeekStart); err != nil {
		return err
	}
	buffer := make([]byte, min(portion, max(0, info.Size()-w.offset)))
	n, err := io.ReadFull(file, buffer)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	w.offset += int64(n)
	w.written = info.ModTime()
	return w.feed(buffer[:n])
}

// finish reads to the end of an ended turn.
func (w *watch) finish() error {
	for {
		before := w.offset
		if err := w.read(); err != nil {
			return err
		}
		if w.offset == before {
			return w.end()
		}
	}
}

// add takes in items that were printed no later than at.
func (w *watch) add(items []checkpoint.Item, at time.Time) {
	for i := range items {
		item := items[i]
		if item.Kind == checkpoint.Echo {
			w.echoed = true
			continue
		}
		switch item.Kind {
		case checkpoint.Valid:
			w.last, w.broken, w.lastAt = &item, nil, at
			w.blockAt = w.clock.Worked
		case checkpoint.Malformed:
			w.broken = &item
		}
		seen := seenItem{Item: item}
		if item.Kind == checkpoint.Valid && item.Block.Completion() {
			seen.late, w.done = w.done, true
		}
		w.counted++
		if w.counted > w.skip {
			w.found = append(w.found, seen)
		}
	}
}

// take hands out what is not recorded yet.
func (w *watch) take() []seenItem {
	items := w.found
	w.found = nil
	return items
}

// recordBlocks writes one event for each block, and with them how far it came.
func (s *supervisor) recordBlocks(ctx context.Context, a registry.Agent, w *watch, items []seenItem) error {
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, item := range items {
			e, edit := w.event(a.ID, item)
			if now, err := tx.State().Agent(a.ID); err != nil || now.Status != registry.Running {
				e.Kind, e.Details, edit = registry.EventLate, e.Details+"; not counted, it is "+string(now.Status), nil
			}
			if err := tx.Record(e, edit); err != nil {
				return err
			}
		}
		return tx.Edit(a.ID, func(a *registry.Agent) {
			a.Blocks = registry.Recorded{Turn: w.number, Count: w.skip + len(items)}
		})
	})
	if err != nil {
		w.found = append(items, w.found...)
		return err
	}
	s.p.Step(stepBlocks)
	w.skip += len(items)
	return nil
}

// event is the row for one item.
func (w *watch) event(id string, item seenItem) (registry.Event, func(*registry.Agent)) {
	e := registry.Event{Kind: registry.EventCheckpoint, Agent: id, By: id}
	at := fmt.Sprintf("turn %d, line %d", w.number, item.Line)
	activity := func(a *registry.Agent) { a.LastActivity = time.Now().UTC() }
	switch item.Kind {
	case checkpoint.Foreign:
		e.Kind, e.By = registry.EventViolation, session.BySupervisor
		e.Details = fmt.Sprintf("%s: printed a block in the name of %s", at, item.Block.Agent)
		return e, func(a *registry.Agent) { a.Violations++ }
	case checkpoint.Malformed:
		e.Kind, e.By = registry.EventLate, session.BySupervisor
		e.Details = fmt.Sprintf("%s: malformed block, not counted: %s", at, item.Reason)
		return e, func(a *registry.Agent) { a.Errors++ }
	}
	if item.late {
		e.Kind = registry.EventLate
		e.Details = at + ": a second completion, ignored"
		return e, activity
	}
	e.Details = at + ": " + transcript.BlockText(item.Block)
	return e, func(a *registry.Agent) {
		activity(a)
		a.Checkpoints++
		a.LastCheckpoint = a.LastActivity
		if progress := item.Block.Progress; progress >= 0 {
			a.Progress = &progress
		}
		a.Flags = a.Flags.Without(registry.FlagOverdue)
	}
}
