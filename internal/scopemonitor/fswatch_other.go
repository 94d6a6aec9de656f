//go:build !linux

package scopemonitor

// Watcher is for systems that tell what happens below a folder without more than they give here.
type Watcher struct{}

func NewWatcher(string) *Watcher { return nil }

func (*Watcher) Events() (paths []string, all bool, err error) { return nil, false, ErrOverflow }

// LowerPriority does nothing: no part of this process alone can work behind others.
func LowerPriority() {}
