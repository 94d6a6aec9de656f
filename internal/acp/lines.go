package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/coder/acp-go-sdk"
)

// longestLine is the longest message that a program may send, in bytes; the connection reads none that is longer.
const longestLine = 10 << 20

// lines is what a program prints on its way to the connection. It keeps the updates for itself, in
// their order: the connection answers questions beside its queue of updates, and an answer depends
// on the updates before its question. What is no message is dropped.
type lines struct {
	in     *bufio.Scanner
	update func(acp.SessionUpdate)
	ready  <-chan struct{} // nothing is read before
	rest   []byte
}

func newLines(in io.Reader, update func(acp.SessionUpdate), ready <-chan struct{}) *lines {
	l := &lines{in: bufio.NewScanner(in), update: update, ready: ready}
	l.in.Buffer(nil, longestLine)
	return l
}

// Read hands on the messages that are no updates.
func (l *lines) Read(p []byte) (int, error) {
	<-l.ready
	for len(l.rest) == 0 {
		if !l.in.Scan() {
			if err := l.in.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		if line := bytes.TrimSpace(l.in.Bytes()); !l.take(line) {
			l.rest = append(bytes.Clone(line), '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// take reports whether the line is not for the connection: an update, or no message.
func (l *lines) take(line []byte) bool {
	var message struct {
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &message) != nil || message.Version == "" {
		return true
	}
	if message.Method != acp.ClientMethodSessionUpdate {
		return false
	}
	var told acp.SessionNotification
	if json.Unmarshal(message.Params, &told) == nil {
		l.update(told.Update) // one of a later protocol says nothing that is known here
	}
	return true
}
