//go:build linux

package supervise

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/sys/long"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// TestInterruptAtOnce holds that an interruption in the first moment of a turn is not lost: each
// message comes while the turn of the one before begins.
func TestInterruptAtOnce(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "trap 'exit 130' INT; i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done", "")
	ctx := context.Background()
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	const rounds = 5
	for n := range rounds {
		if _, err := d.MessageNow(ctx, "AGT-001", fmt.Sprintf("message %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	a := d.agent("AGT-001")
	if a.Status != registry.Running || a.Turns != rounds+1 {
		t.Fatalf("it is %s in turn %d, want RUNNING in turn %d", a.Status, a.Turns, rounds+1)
	}
	if _, err := d.Extend(ctx, "AGT-001", 60e9); err != nil {
		t.Fatal(err)
	}
	if a, done, err := d.Interrupt(ctx, "AGT-001"); err != nil || !done || a.Status != registry.Checkpoint {
		t.Errorf("it is %s, interrupted: %v, %v", a.Status, done, err)
	}
	if p := d.prompt("AGT-001", rounds+1); !strings.Contains(p, fmt.Sprintf("message %d", rounds-1)) {
		t.Errorf("prompt %q", p)
	}
}

// TestAbortWithoutASupervisor holds that nothing starts after a session was aborted whose
// supervisor died while it started a turn.
func TestAbortWithoutASupervisor(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo ran > $ROOT/ran; sleep 300", withoutFence)
	if err := os.WriteFile(filepath.Join(d.root, "crash-at"), []byte(stepPrepared), 0o600); err != nil {
		t.Fatal(err)
	}
	d.record(1)
	_, _ = Launch(context.Background(), d.Project) // it may be dead before anybody sees it
	d.until("the crash", func() bool { _, err := os.Stat(filepath.Join(d.root, "crash-at-done")); return err == nil })
	d.until("the supervisor's death", func() bool { return session.FindSupervisor(d.Project) == nil })
	turn := keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, "AGT-001", 1)}
	d.abortSession()
	// a keeper that was on its way
	if status, mine := keeper.Main([]string{keeper.KeeperVerb, turn.Dir}); status != 0 || !mine {
		t.Errorf("the keeper ended with %d", status)
	}
	if exit, err := turn.Exit(); err != nil || exit.Cause != keeper.Stopped {
		t.Errorf("exit %+v, %v", exit, err)
	}
}

// What an agent writes until its process has ended is in its head and in the record, whoever gives it up, also where
// nobody supervises.
func TestGivenUpWhileItWrites(t *testing.T) {
	for name, giveUp := range map[string]func(d *delegation) error{
		"abort":        func(d *delegation) error { _, err := d.Abort(t.Context(), "AGT-001", ""); return err },
		"reassign":     func(d *delegation) error { _, err := d.Reassign(t.Context(), "AGT-001", ""); return err },
		"whole":        func(d *delegation) error { return d.AbortSession(t.Context(), "") },
		"unsupervised": func(d *delegation) error { d.kill(); return d.AbortSession(t.Context(), "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// it goes on to write after it was asked to end, for longer than a head takes
			d := newDelegation(t, `case $DELEGATE_AGENT in *-002) exec sleep 100; esac
trap 'sleep 1; echo last >> tick.txt; exit' TERM
while :; do echo more >> tick.txt; sleep 0.02; done`, "stop_grace: 20s\n")
			d.begin(1)
			a := d.reaches("AGT-001", registry.Running)
			tick := filepath.Join(a.Worktree, "tick.txt")
			d.until("a first line", func() bool { _, err := os.Stat(tick); return err == nil })
			if err := giveUp(d); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadFile(tick)
			if err != nil || !strings.HasSuffix(string(left), "last\n") {
				t.Fatalf("still running: %v", err)
			}
			id := d.state().Session.ID
			for _, at := range []string{d.agent(a.ID).Head, "refs/delegate/" + id + "/AGT-001/aborted"} {
				kept, err := exec.Command("git", "-C", d.Main, "show", at+":tick.txt").Output()
				if err != nil || string(kept) != string(left) {
					t.Errorf("%s has %d of %d lines: %v", at, strings.Count(string(kept), "\n"),
						strings.Count(string(left), "\n"), err)
				}
			}
			now := d.agent(a.ID)
			if now.Insertions != strings.Count(string(left), "\n") || len(now.FilesModified) != 1 {
				t.Errorf("recorded: %d lines in %q", now.Insertions, now.FilesModified)
			}
		})
	}
}
