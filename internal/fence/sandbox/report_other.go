//go:build !linux

package sandbox

import (
	"fmt"
	"os"
)

// Channel is the outer end of what a fenced process tells.
type Channel struct{ *os.File }

// OpenChannel makes a channel; inner is for Wrap's command.
func OpenChannel() (c *Channel, inner *os.File, err error) {
	from, end, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("open channel: %w", err)
	}
	return &Channel{from}, end, nil
}

// Listener is nil: no fence of this system asks.
func (c *Channel) Listener(Policy, Support) (*Listener, error) { return nil, nil }

// Listener is where a fence asks, which none of this system does.
type Listener struct{}

// Serve returns: nobody asks.
func (l *Listener) Serve(func(Tried), func(func())) {}

// Drop has nothing to end.
func (l *Listener) Drop() {}

// End has nothing to end.
func (l *Listener) End() {}

// Close has nothing to give up.
func (l *Listener) Close() {}
