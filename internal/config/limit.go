package config

import (
	"strconv"
	"time"
)

// Count is a limit on a number of things.
// It keeps three cases apart: not configured (the default holds),
// configured as 0 (the limit is off), and configured as a number.
// The zero Count is not configured and has the default "off".
type Count struct {
	set   bool
	value int
}

// SetCount returns a Count that was configured as n; 0 turns the limit off.
func SetCount(n int) Count { return Count{set: true, value: n} }

// DefaultCount returns a Count that was not configured and stands at its default n.
func DefaultCount(n int) Count { return Count{value: n} }

// Value returns the number in force, configured or default; 0 means no limit.
func (c Count) Value() int { return c.value }

// IsSet reports whether the number was configured.
func (c Count) IsSet() bool { return c.set }

// Off reports whether no limit is in force:
// it was configured as 0, or was not configured and its default is off.
func (c Count) Off() bool { return c.value == 0 }

// String returns the number in force, or "off".
func (c Count) String() string {
	if c.Off() {
		return "off"
	}
	return strconv.Itoa(c.value)
}

// Span is a limit on time, with the same three cases as Count.
type Span struct {
	set   bool
	value time.Duration
}

// SetSpan returns a Span that was configured as d; 0 turns the limit off.
func SetSpan(d time.Duration) Span { return Span{set: true, value: d} }

// DefaultSpan returns a Span that was not configured and stands at its default d.
func DefaultSpan(d time.Duration) Span { return Span{value: d} }

// Value returns the duration in force, configured or default; 0 means no limit.
func (s Span) Value() time.Duration { return s.value }

// IsSet reports whether the duration was configured.
func (s Span) IsSet() bool { return s.set }

// Off reports whether no limit is in force:
// it was configured as 0, or was not configured and its default is off.
func (s Span) Off() bool { return s.value == 0 }

// String returns the duration in force, or "off".
func (s Span) String() string {
	if s.Off() {
		return "off"
	}
	return s.value.String()
}
