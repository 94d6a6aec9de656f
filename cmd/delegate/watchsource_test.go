package main

import (
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/sys/run"
)

// TestLooksRest holds how often git is started for a running agent: soon after it printed
// something, rarely while it is silent, and never for more than a share of the time.
func TestLooksRest(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	old, grown := session.Signature{Size: 1, Time: begin}, session.Signature{Size: 2, Time: begin}
	quick := worktreeStats{at: begin, took: 50 * time.Millisecond, turn: 1, printed: old}
	slow := worktreeStats{at: begin, took: 2 * time.Second, turn: 1, printed: old}
	for name, c := range map[string]struct {
		look    worktreeStats
		after   time.Duration
		turn    int
		printed session.Signature
		want    bool
	}{
		"never looked":          {worktreeStats{}, 0, 1, old, true},
		"just printed":          {quick, time.Second, 1, grown, false},
		"printed a while ago":   {quick, 4 * time.Second, 1, grown, true},
		"silent":                {quick, 50 * time.Second, 1, old, false},
		"silent for long":       {quick, 61 * time.Second, 1, old, true},
		"another turn":          {quick, time.Second, 2, old, true},
		"large, printed":        {slow, 30 * time.Second, 1, grown, false},
		"large, printed before": {slow, 41 * time.Second, 1, grown, true},
		"large, silent":         {slow, 10 * time.Minute, 1, old, false},
	} {
		if got := c.look.due(begin.Add(c.after), c.turn, c.printed); got != c.want {
			t.Errorf("%s: due is %t", name, got)
		}
	}
}

func TestAsTyped(t *testing.T) {
	words := []string{"continue", "AGT-001", "Yes, don't [ask].", "--allow=src/**", ""}
	if got, want := run.AsTyped(words), `continue AGT-001 'Yes, don'\''t [ask].' '--allow=src/**' ''`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
