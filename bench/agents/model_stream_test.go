//go:build bench && !windows

package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func open(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return stream{w}
}

// event sends an object under the name that it has as its type.
func (s stream) event(kind string, v object) {
	v["type"] = kind
	fmt.Fprintf(s.w, "event: %s\n", kind)
	s.data(v)
}

// data sends an object without a name.
func (s stream) data(v object) {
	line, err := json.Marshal(v)
	if err != nil {
		return // made here of strings and numbers: it cannot happen
	}
	fmt.Fprintf(s.w, "data: %s\n\n", line)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}
