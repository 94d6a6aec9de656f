//go:build !linux

package resource

import "os"

func totalMemory() int64 { return 0 }

// Group is nothing on this system.
type Group struct{}

// Make makes none on this system.
func Make(l Limits) (*Group, Held) {
	return nil, Held{Limits: l, Fault: "this system has no control groups"}
}

// Try is how limits would be held here.
func Try(l Limits) Held {
	_, held := Make(l)
	return held
}

// Dir is nil.
func (g *Group) Dir() *os.File { return nil }

// Close has nothing to take away.
func (g *Group) Close() Met { return Met{} }
