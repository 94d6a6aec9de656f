//go:build bench && linux

package record

import (
	"reflect"
	"time"
)

// shot is a picture and when it was first seen.
type shot struct {
	at      time.Duration
	picture picture
}

// film is what a terminal showed, shot by shot, on a clock of its own.
type film struct {
	title string
	shots []shot
	clock time.Duration
	lines map[int]int // of the script: which shot was the last when its step was done, or the first that came later
}

// The picture's time. Nobody wants to watch a program that shows nothing for longer than idle.
const (
	idle   = 1500 * time.Millisecond
	tick   = 10 * time.Millisecond
	ending = 4 * time.Second // the last picture stays, before all begins anew
)

// pass lets the clock go on, by no more than idle.
func (f *film) pass(d time.Duration) { f.hold(min(d, idle)) }

// hold lets the clock go on by all of d.
func (f *film) hold(d time.Duration) { f.clock += d.Round(tick) }

// take adds a picture, unless it is the one before. Two at the same tick are one, the later.
func (f *film) take(p picture) {
	last := len(f.shots) - 1
	switch {
	case last >= 0 && reflect.DeepEqual(f.shots[last].picture, p):
	case last >= 0 && f.shots[last].at == f.clock:
		f.shots[last].picture = p
	default:
		f.shots = append(f.shots, shot{f.clock, p})
	}
}

// done remembers what was shown when the step on a line of the script was over.
func (f *film) done(line int) {
	if f.lines == nil {
		f.lines = map[int]int{}
	}
	f.lines[line] = max(0, len(f.shots)-1)
}

// length is how long the film takes until it begins anew.
func (f *film) length() time.Duration { return f.clock + ending }
