package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/dialect"
	"delegate/internal/transcript"
)

// eventState is what a program's events told, beside the agent's own words. It is nil for a program that prints text.
type eventState struct {
	decoder  dialect.Decoder
	begun    bool // something readable was written by this supervisor
	seen     bool // it printed an event
	session  string
	usage    dialect.Usage
	before   agentdir.Usage // of the attempt's earlier turns
	tools    int
	refused  []dialect.Event // by the program's own rules
	limited  dialect.Event   // the last pause that the provider asked for, while nothing came after it
	failed   string          // why the program gave up
	readable strings.Builder
}

// takeEvents takes in what the program printed and returns the agent's own words, all of them also where
// something cannot be written.
func (w *watch) takeEvents(events []dialect.Event) (words string, err error) {
	h := w.events
	var own strings.Builder
	for _, e := range events {
		h.seen = h.seen || e.Kind != dialect.Unreadable
		h.readable.WriteString(e.Readable())
		switch e.Kind {
		case dialect.Words:
			own.WriteString(e.Text)
			h.limited = dialect.Event{}
		case dialect.Tool:
			h.tools++
			h.limited = dialect.Event{}
			w.tests.Feed([]byte(e.Text + "\n"))
		case dialect.Result:
			w.tests.Feed([]byte(e.Text + "\n"))
		case dialect.Session:
			h.session = e.Text
			err = errors.Join(err, w.turn.KeepSessionID(e.Text))
		case dialect.Used:
			h.usage = e.Usage
		case dialect.Refused:
			h.refused = append(h.refused, e)
		case dialect.Limited:
			h.limited = e
		case dialect.Failed:
			h.failed = e.Text
		}
	}
	return own.String(), errors.Join(err, w.writeReadable())
}

// writeReadable puts what was made readable where people read it.
func (w *watch) writeReadable() error {
	h := w.events
	if h.readable.Len() == 0 {
		return nil
	}
	write := w.turn.AddReadable
	if !h.begun {
		write = w.turn.BeginReadable
	}
	if err := write(transcript.PlainText(h.readable.String())); err != nil {
		return err
	}
	h.begun = true
	h.readable.Reset()
	return nil
}

// feed reads a piece of the transcript in the form that the program prints.
func (w *watch) feed(piece []byte) error {
	if w.events == nil {
		w.tests.Feed(piece)
		w.add(w.scanner.Feed(piece), w.written)
		return nil
	}
	words, err := w.takeEvents(w.events.decoder.Feed(piece))
	w.add(w.scanner.Feed([]byte(words)), w.written)
	return err
}

// end reads what an ended transcript still holds back.
func (w *watch) end() error {
	var err error
	if w.events != nil {
		var words string
		words, err = w.takeEvents(w.events.decoder.Close())
		w.add(w.scanner.Feed([]byte(words)), w.written)
		if !w.events.seen && err == nil {
			err = w.readAsText()
		}
	}
	w.add(w.scanner.Close(), w.written)
	return err
}

// readAsText reads the whole transcript of a program that was to print events and printed none:
// another version, or another command under its name.
func (w *watch) readAsText() error {
	file, err := os.Open(w.turn.Output())
	if err != nil {
		return err
	}
	defer file.Close()
	if err := w.turn.BeginReadable(""); err != nil {
		return err
	}
	buffer := make([]byte, 1<<20)
	for {
		n, err := file.Read(buffer)
		w.tests.Feed(buffer[:n])
		w.add(w.scanner.Feed(buffer[:n]), w.written)
		if err := w.turn.AddReadable(string(buffer[:n])); err != nil {
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

// used is what the turn used up as far as the program's events say.
func (w *watch) used() agentdir.Usage {
	if w.events == nil {
		return agentdir.Usage{}
	}
	u := w.events.usage
	used := agentdir.Usage{InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost}
	if u.Whole { // of the conversation, of which earlier turns have had their part
		used.InputTokens = max(0, used.InputTokens-w.events.before.InputTokens)
		used.OutputTokens = max(0, used.OutputTokens-w.events.before.OutputTokens)
	}
	return used
}

// waitsForProvider reports whether the program waits for the end of a rate limit that named it. That is no silence.
func (w *watch) waitsForProvider(now time.Time) bool {
	return w.events != nil && w.events.limited.Until.After(now)
}

// refusedText is a use of a tool that the program itself refused, for a row.
func refusedText(turn, n int, e dialect.Event) string {
	return fmt.Sprintf(
		"refused (program, turn %d, %d): %s",
		turn,
		n,
		strings.TrimSpace(e.Tool+" "+transcript.FirstLine(e.Text)),
	)
}
