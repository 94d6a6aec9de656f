package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Verb is the hidden command under which this program carries a policy out on itself and then becomes another program.
const Verb = "__fence"

// ProbeWord in place of a policy file asks what this machine can do.
const ProbeWord = "probe"

// reportFD is the descriptor on which a fenced process tells its parent how it went, where it was given one.
const reportFD = 3

// Whether a fenced process has somebody to tell.
const (
	reporting = "heard"
	silent    = "unheard"
)

// StartFault is the exit status of a process whose fence could not be built; no program was started.
const StartFault = 125

// Report is one thing that the inside tells: that the fence stands, that it could not be built, or
// how its program ended.
type Report struct {
	Built  *Support `json:"built,omitempty"`
	Error  string   `json:"error,omitempty"`
	Exit   *int     `json:"exit,omitempty"`
	Signal string   `json:"signal,omitempty"`
}

// ReadReports hands each report on, to the end, which is when no process inside holds the descriptor any more.
// Only this program writes there: what it starts does not inherit the descriptor.
func ReadReports(from io.Reader, each func(Report)) error {
	d := json.NewDecoder(io.LimitReader(from, 1<<20))
	for {
		var r Report
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read reports of the sandbox: %w", err)
		}
		each(r)
	}
}
