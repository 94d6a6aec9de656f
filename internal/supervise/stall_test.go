package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// TestStallLevels walks through silences, second by second, and holds when which measure comes.
func TestStallLevels(t *testing.T) {
	type at struct {
		second int
		do     stallAction
	}
	for name, c := range map[string]struct {
		terms  stallLimits
		alive  []int // seconds with a sign of life
		begin  stall
		during int
		want   []at
	}{
		"silence, not respawned yet": {terms: stallLimits{600 * time.Second, 120 * time.Second, true}, during: 900,
			want: []at{{600, nudge}, {720, respawn}}},
		"silence, respawned before": {terms: stallLimits{600 * time.Second, 120 * time.Second, false}, during: 2000,
			want: []at{{600, nudge}, {720, escalate}}},
		"alive just in time": {terms: stallLimits{600 * time.Second, 120 * time.Second, true},
			alive: []int{599, 1198}, during: 1700},
		"answers the nudge": {terms: stallLimits{600 * time.Second, 120 * time.Second, true}, alive: []int{719},
			during: 1400, want: []at{{600, nudge}, {1319, nudge}}},
		"comes back from a person": {terms: stallLimits{10 * time.Second, 5 * time.Second, false}, alive: []int{20},
			during: 36, want: []at{{10, nudge}, {15, escalate}, {30, nudge}, {35, escalate}}},
		"no grace": {terms: stallLimits{10 * time.Second, 0, true}, during: 12,
			want: []at{{10, nudge}, {11, respawn}}},
		"endless window": {terms: stallLimits{0, 0, true}, during: 100000},
		"nudged before a new watch": {terms: stallLimits{10 * time.Second, 5 * time.Second, true},
			begin:  stallOf(registry.Agent{Flags: registry.Flags{registry.FlagNudged.Flag()}}, 10*time.Second),
			during: 6,
			want:   []at{{5, respawn}}},
		"stalled before a new watch": {terms: stallLimits{10 * time.Second, 5 * time.Second, true},
			begin:  stallOf(registry.Agent{Flags: registry.Flags{registry.FlagStalled.Flag()}}, 10*time.Second),
			during: 100},
		"flagless before a new watch": {terms: stallLimits{10 * time.Second, 5 * time.Second, true},
			begin: stallOf(registry.Agent{}, 10*time.Second), during: 12, want: []at{{10, nudge}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []at
			l := c.begin
			for second := 1; second <= c.during; second++ {
				l.pass(time.Second, slices.Contains(c.alive, second))
				if do := l.next(c.terms); do != leaveIt {
					got = append(got, at{second, do})
					if do == respawn {
						break
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("measures %v, want %v", got, c.want)
			}
		})
	}
}

// TestStallLevelsAfterASleep holds that time in which nobody looked is not held against the agent.
func TestStallLevelsAfterASleep(t *testing.T) {
	l := stall{}
	l.pass(8*time.Hour, false)
	if do := l.next(stallLimits{10 * time.Minute, 0, true}); do != leaveIt || l.quiet > time.Minute {
		t.Errorf("measure %v after %s of quiet", do, l.quiet)
	}
}

// TestStopwatch holds that setting the clock moves no time limit, and that the next supervisor goes on from the note.
func TestStopwatch(t *testing.T) {
	at := time.Duration(0)
	wall := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	turn := keeper.Turn{Dir: t.TempDir()}
	clock := transcript.NewStopwatch(func() time.Duration { return at }, 0)
	look := func(after time.Duration) {
		at += after
		wall = wall.Add(after)
		clock.Look(turn, wall)
	}
	look(30 * time.Second)
	wall = wall.Add(5 * time.Hour) // somebody sets the clock
	look(30 * time.Second)
	wall = wall.Add(-9 * time.Hour)
	look(30 * time.Second)
	if clock.Worked != 90*time.Second {
		t.Errorf("worked %s after 90 s", clock.Worked)
	}
	if got := transcript.Worked(turn, wall.Add(10*time.Second)); got != 100*time.Second {
		t.Errorf("the next supervisor starts at %s, want 100 s", got)
	}
	if got := transcript.Worked(turn, wall.Add(-time.Hour)); got != 90*time.Second {
		t.Errorf("with a clock that went back it starts at %s, want 90 s", got)
	}
	begun := keeper.Turn{Dir: t.TempDir()}
	if got := transcript.Worked(begun, wall); got != 0 {
		t.Errorf("before its beginning it worked %s", got)
	}
	if err := os.WriteFile(filepath.Join(begun.Dir, "keeper.json"),
		fmt.Appendf(nil, `{"started_at": %q}`, wall.Format(time.RFC3339)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := transcript.Worked(begun, wall.Add(time.Minute)); got != time.Minute {
		t.Errorf("without a note it is %s, want 1 m", got)
	}
}

// TestPulse holds what counts as a sign of life.
func TestPulse(t *testing.T) {
	b := &liveness{}
	beat := session.Signature{Size: 1, Time: time.Unix(1, 0)}
	for i, c := range []struct {
		do   func()
		size int64
		beat session.Signature
		want bool
	}{
		{want: true}, // the first look
		{want: false},
		{size: 10, want: true},
		{size: 10, want: false},
		{size: 10, beat: beat, want: true},
		{size: 10, beat: beat, want: false},
		{do: func() { b.sawTree(7, time.Minute) }, size: 10, beat: beat, want: false}, // nothing to compare with
		{do: func() { b.sawTree(7, 2*time.Minute) }, size: 10, beat: beat, want: false},
		{do: func() { b.sawTree(8, 3*time.Minute) }, size: 10, beat: beat, want: true},
		{size: 10, beat: beat, want: false},
		{size: 0, beat: beat, want: true}, // somebody cut the transcript off
	} {
		if c.do != nil {
			c.do()
		}
		if got := b.alive(c.size, c.beat); got != c.want {
			t.Errorf("look %d: %v, want %v", i, got, c.want)
		}
	}
	if b = (&liveness{begun: true}); b.wantsTree(59*time.Second, 10*time.Minute) ||
		!b.wantsTree(60*time.Second, 10*time.Minute) || b.wantsTree(time.Hour, 0) {
		t.Error("the worktree is looked at ten times in a window, and never without one")
	}
}

// TestFingerprint holds that every change below the worktree, and a commit, is seen, and nothing else.
func TestFingerprint(t *testing.T) {
	root := t.TempDir()
	p := &project.Project{Repo: &git.Repo{CommonDir: filepath.Join(root, "git")}}
	a := registry.Agent{Worktree: filepath.Join(root, "work"), Branch: "delegate/x"}
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("work/a", "1")
	write("work/build/ignored", "1")
	before := fingerprint(p, a)
	for _, step := range []struct {
		name string
		do   func()
		same bool
	}{
		{"nothing", func() {}, true},
		{"another folder", func() { write("else", "1") }, true},
		{"longer file", func() { write("work/a", "12") }, false},
		{"new file", func() { write("work/build/more", "1") }, false},
		{"file gone", func() { _ = os.Remove(filepath.Join(root, "work/a")) }, false},
		{"commit", func() { write("git/refs/heads/delegate/x", "abc") }, false},
		{"worktree gone", func() { _ = os.RemoveAll(a.Worktree) }, false},
	} {
		step.do()
		now := fingerprint(p, a)
		if (now == before) != step.same {
			t.Errorf("%s: seen %v, want %v", step.name, now != before, !step.same)
		}
		before = now
	}
}
