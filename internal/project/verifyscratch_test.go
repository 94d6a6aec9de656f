package project

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/project/config"
)

// TestTakeGoesRound holds that a second caller gets the second checkout, and that a third one waits
// until one of them is free.
func TestTakeGoesRound(t *testing.T) {
	p := &Project{Main: filepath.Join(t.TempDir(), "repo"), Private: t.TempDir(), Config: config.Default()}
	rooms := p.someScratches(2)
	one, first, err := take(t.Context(), rooms)
	if err != nil {
		t.Fatal(err)
	}
	two, second, err := take(t.Context(), rooms)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Unlock()
	if one != rooms[0] || two != rooms[1] || one.path == two.path || one.home == two.home || one.fence == two.fence {
		t.Errorf("%+v and %+v", one, two)
	}
	short, cancel := context.WithTimeout(t.Context(), 3*scratchPause)
	defer cancel()
	if _, _, err := take(short, rooms); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with all rooms taken: %v", err)
	}
	time.AfterFunc(2*scratchPause, func() { _ = first.Unlock() })
	three, third, err := take(t.Context(), rooms)
	if err != nil || three != one {
		t.Fatalf("%+v, %v", three, err)
	}
	if err := third.Unlock(); err != nil {
		t.Error(err)
	}
}
