package transcript

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
)

// notes is the file in which the program writes down its conversation, as far as it was read.
type notes struct {
	home    agentdir.Dir
	pattern string // below the home; "" if it has none
	name    string // of the file, "" as long as it is not known
	offset  int64
	form    dialect.Notes
	usage   dialect.Usage // zero if it does not say
}

// readNotes takes in what the program wrote down since the last look, a bounded amount at a time. The agent could have
// written it: what it says of usage counts where the program's events say nothing, and a wait that it tells ends once
// the program prints something.
func (r *Reader) readNotes() error {
	const portion = 8 << 20
	n := &r.notes
	id := r.Turn.SessionID()
	if r.events == nil || r.screen || n.pattern == "" || id == "" {
		return nil
	}
	if n.name == "" {
		first, _, _ := strings.Cut(id, "-")
		var err error
		n.name, err = n.home.Match(strings.NewReplacer("{session_id}", id, "{session}", first).Replace(n.pattern))
		if err != nil || n.name == "" {
			return nil // it comes, or the program says less
		}
	}
	data, err := n.home.ReadFrom(n.name, n.offset, portion)
	if err != nil {
		return nil // as above
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 && len(data) == portion {
		end = portion // of a line that is too long, whose rest is no line either
	}
	n.offset += int64(end)
	for line := range bytes.Lines(data[:end]) {
		found, at := n.form.Read(line)
		for _, e := range found {
			err = errors.Join(err, r.noted(e, at))
		}
	}
	return err
}

// noted takes in what a line says, written at that time. A fault that the program printed something after is over.
func (r *Reader) noted(e dialect.Event, at time.Time) error {
	if e.Kind == dialect.Used {
		r.notes.usage = e.Usage
		return nil
	}
	if now := r.p.Now(); at.After(now) {
		at = now
	}
	if !at.After(r.written) {
		return nil
	}
	h := r.events
	first := at
	if h.limited.Kind == dialect.Limited && h.limited.Fault == e.Fault {
		first = h.first
	}
	err := r.takeEvents([]dialect.Event{e})
	if e.Kind == dialect.Limited {
		h.since, h.first = at, first
	}
	return err
}
