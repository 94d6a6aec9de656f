package config

import (
	"fmt"
	"time"
)

// Limit is a limit on a number or on time.
// It keeps three cases apart: not configured (the default holds),
// configured as 0 (the limit is off), and configured as a value.
// The zero Limit is not configured and has the default "off".
type Limit[T int | time.Duration] struct {
	set   bool
	value T
}

// Count is a limit on a number of things, Span one on time.
type (
	Count = Limit[int]
	Span  = Limit[time.Duration]
)

// SetCount returns a Count that was configured as n; 0 turns the limit off.
func SetCount(n int) Count { return Count{set: true, value: n} }

// DefaultCount returns a Count that was not configured and stands at its default n.
func DefaultCount(n int) Count { return Count{value: n} }

// SetSpan returns a Span that was configured as d; 0 turns the limit off.
func SetSpan(d time.Duration) Span { return Span{set: true, value: d} }

// DefaultSpan returns a Span that was not configured and stands at its default d.
func DefaultSpan(d time.Duration) Span { return Span{value: d} }

// Value returns what is in force, configured or default; 0 means no limit.
func (l Limit[T]) Value() T { return l.value }

// IsSet reports whether the limit was configured.
func (l Limit[T]) IsSet() bool { return l.set }

// Off reports whether no limit is in force:
// it was configured as 0, or was not configured and its default is off.
func (l Limit[T]) Off() bool { return l.value == 0 }

// String returns what is in force, or "off".
func (l Limit[T]) String() string {
	if l.Off() {
		return "off"
	}
	return fmt.Sprint(l.value)
}
