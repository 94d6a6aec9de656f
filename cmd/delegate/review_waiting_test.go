package main

import (
	"testing"

	"delegate/internal/view/status"
)

// TestFinishedWorkKeepsItsName holds that a person who left finished work for later is not asked again when more is
// known of it, and that a question which changed is another one.
func TestFinishedWorkKeepsItsName(t *testing.T) {
	for kind, same := range map[status.PointKind]bool{status.CompletePoint: true, status.CheckpointPoint: false} {
		first := status.Point{Kind: kind, Agent: "AGT-001", Text: "is ready to merge; not compared yet"}
		then := first
		then.Text = "is ready to merge"
		if got := nameOf(first) == nameOf(then); got != same {
			t.Errorf("%s: one name %t, want %t", kind, got, same)
		}
	}
}
