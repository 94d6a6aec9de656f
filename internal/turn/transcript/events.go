package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"delegate/internal/text/ui"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/program"
)

// events is what a program's events told, beside the agent's own words. It is nil for a program that prints text.
type events struct {
	decoder  dialect.Decoder
	begun    bool // something readable was written by this supervisor
	seen     bool // it printed an event
	usage    dialect.Usage
	before   agentdir.Usage // of the attempt's earlier turns
	answered bool           // a tool did what it was asked
	// the agent said something, or used a tool
	progressed bool
	limited    dialect.Event // the last pause that the provider asked for, while nothing came after it
	since      time.Time     // when it was read
	first      time.Time     // when the first of them in a row was
	failed     dialect.Event // why the program gave up
	question   string        // what it asked last by its program's own tool for asking
	ended      bool          // it said that the turn is over well, and nothing after that
	readable   strings.Builder
}

// takeEvents takes in what the program printed, all of it also where something cannot be written.
func (r *Reader) takeEvents(events []dialect.Event) (err error) {
	h := r.events
	for _, e := range events {
		h.seen = h.seen || e.Kind != dialect.Unreadable
		h.readable.WriteString(e.Readable())
		switch e.Kind {
		case dialect.Words:
			r.scan([]byte(e.Text))
			h.limited, h.ended, h.progressed = dialect.Event{}, false, true
		case dialect.Tool:
			h.ended, h.progressed = false, true
			if r.said.tools = append(r.said.tools, r.said.end); !program.OnlyReads(e.Tool) {
				r.said.acted = r.said.end
			}
			h.limited = dialect.Event{}
			if program.AsksPerson(e.Tool) {
				h.question = e.Text
			}
			r.tests.Feed([]byte(e.Text + "\n"))
		case dialect.Result:
			h.answered = h.answered || !e.Error
			r.tests.Feed([]byte(e.Text + "\n"))
			r.refused.feed([]byte(e.Text + "\n"))
		case dialect.Session:
			err = errors.Join(err, r.Turn.KeepSessionID(e.Text))
		case dialect.Model:
			err = errors.Join(err, r.Turn.KeepModel(e.Text))
		case dialect.Used:
			h.usage = e.Usage
		case dialect.Refused:
			r.addRefused(e)
		case dialect.Limited:
			if h.limited.Kind != dialect.Limited || h.limited.Fault != e.Fault {
				h.first = r.written
			}
			h.limited, h.since = e, r.written
		case dialect.Failed:
			h.failed = e
		case dialect.Ended:
			h.ended = true
		}
	}
	return errors.Join(err, r.writeReadable())
}

// writeReadable puts what was made readable where people read it.
func (r *Reader) writeReadable() error {
	h := r.events
	if h.readable.Len() == 0 {
		return nil
	}
	write := r.Turn.AddReadable
	if !h.begun {
		write = r.Turn.BeginReadable
	}
	if err := write(ui.Clean(h.readable.String())); err != nil {
		return err
	}
	h.begun = true
	h.readable.Reset()
	return nil
}

// feed reads a piece of the transcript in the form that the program prints.
func (r *Reader) feed(piece []byte) error {
	if r.screen {
		return nil
	}
	if r.events == nil {
		r.tests.Feed(piece)
		r.refused.feed(piece)
		r.scan(piece)
		return nil
	}
	return r.takeEvents(r.events.decoder.Feed(piece))
}

// end reads what an ended transcript still holds back.
func (r *Reader) end() error {
	var err error
	if r.events != nil {
		err = r.takeEvents(r.events.decoder.Close())
		if !r.events.seen && err == nil {
			err = r.readAsText()
		}
	}
	r.add(r.scanner.Close(), r.written)
	return err
}

// readAsText reads the whole transcript of a program that was to print events and printed none:
// another version, or another command under its name.
func (r *Reader) readAsText() error {
	file, err := os.Open(r.Turn.Output())
	if err != nil {
		return err
	}
	defer file.Close()
	if err := r.Turn.BeginReadable(""); err != nil {
		return err
	}
	buffer := make([]byte, 1<<20)
	for {
		n, err := file.Read(buffer)
		r.tests.Feed(buffer[:n])
		r.refused.feed(buffer[:n])
		r.scan(buffer[:n])
		if err := r.Turn.AddReadable(string(buffer[:n])); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read transcript: %w", err)
		}
	}
}

// UsedTool reports whether a tool of the program has done what it was asked, as its events tell.
func (r *Reader) UsedTool() bool { return r.events != nil && r.events.answered }

// SaysItEnded reports whether the program said that its turn is over well, and has only to end.
func (r *Reader) SaysItEnded() bool { return r.events != nil && r.events.ended }

// LimitPause is how long a provider that names no end of its limit is left alone.
const LimitPause = 5 * time.Minute

// nextAnswer is how long a program that tries again may wait for its next answer.
const nextAnswer = time.Minute

// Wait is what the program waits for within its turn, and tries again by itself.
type Wait struct {
	Fault dialect.Fault // ProviderLimit or Passing
	Since time.Time     // when it said so first
	Until time.Time     // as it said, zero if it did not
}

// WaitsForProvider reports whether the program waits for its provider or the network. That is no silence. One that
// names no end is believed for a while.
func (r *Reader) WaitsForProvider(now time.Time) (w Wait, waits bool) {
	if r.events == nil || r.events.limited.Kind != dialect.Limited {
		return Wait{}, false
	}
	w = Wait{r.events.limited.Fault, r.events.first, r.events.limited.Until}
	end := w.Until.Add(nextAnswer)
	if w.Until.IsZero() {
		end = r.events.since.Add(LimitPause)
	}
	return w, end.After(now)
}

// GaveUp is why the program said that it gives up, "" if it did not.
func (r *Reader) GaveUp() string {
	if r.events == nil {
		return ""
	}
	return r.events.failed.Text
}

// Fault is what it gave up for: as it said, else what it waited for last.
func (r *Reader) Fault() dialect.Fault {
	switch {
	case r.GaveUp() == "":
		return dialect.OtherFault
	case r.events.failed.Fault == dialect.OtherFault && r.events.limited.Kind == dialect.Limited:
		return r.events.limited.Fault
	}
	return r.events.failed.Fault
}

// LimitEnd is the end of the provider's limit that it gave up for, zero if it was not named.
func (r *Reader) LimitEnd() time.Time {
	if r.events == nil || r.events.limited.Kind != dialect.Limited {
		return time.Time{}
	}
	return r.events.limited.Until
}

// Progressed reports whether the turn came to anything: the agent said something, or used a tool.
func (r *Reader) Progressed() bool { return r.events != nil && r.events.progressed }
