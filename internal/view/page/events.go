package page

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/view/report"
)

// pulse is how often a page that is open looks for news.
const pulse = 2 * time.Second

// events tells an open page what changed, as parts of it, until the browser goes or the page ends. Each is looked up
// anew for a tab that slept, so it needs to know nothing of what it missed.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	answer := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	var last []byte
	for {
		part, err := s.livePart(r)
		if err != nil {
			part = []byte("event: fault\ndata: " + strings.Join(strings.Fields(err.Error()), " ") + "\n\n")
		}
		if bytes.Equal(part, last) {
			part = []byte(": still here\n\n")
		} else {
			last = part
		}
		if _, err := w.Write(part); err != nil || answer.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(pulse):
		}
	}
}

// livePart is what changes by itself, as an event.
func (s *server) livePart(r *http.Request) ([]byte, error) {
	state, err := s.state(r.Context())
	if err != nil {
		return nil, err
	}
	of := r.FormValue("id")
	l, err := s.live(state, of)
	if err != nil {
		return nil, err
	}
	t, err := s.templates(state)
	if err != nil {
		return nil, err
	}
	var part bytes.Buffer
	if err := report.Show(&part, t, "live", l); err != nil {
		return nil, err
	}
	var event bytes.Buffer
	event.WriteString("event: live\n")
	for line := range strings.Lines(part.String()) {
		event.WriteString("data: " + strings.TrimRight(line, "\r\n") + "\n")
	}
	event.WriteString("\n")
	if l.One != nil {
		kept, err := session.ReadReview(s.Project, state.Session.ID)
		if err != nil {
			return nil, err
		}
		// what the rest of the page depends on: another value says that it is old
		fmt.Fprintf(&event, "event: state\ndata: %s %d %d\n\n", l.One.Status, l.One.Turns, len(kept.DraftsOf(of)))
	}
	return event.Bytes(), nil
}
