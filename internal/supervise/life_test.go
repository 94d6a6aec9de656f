//go:build linux

package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/sys/long"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// TestSupervisorKilledAgainAndAgain holds that no event is lost or doubled, and the exit status is known,
// when supervisors die while agents print blocks and end.
func TestSupervisorKilledAgainAndAgain(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
for i in 1 2 3 4 5 6 7 8; do block IN_PROGRESS CONTINUE; sleep 0.3; done
echo work > work.txt
block COMPLETE MERGE
block COMPLETE MERGE
exit 3
`, "")
	d.begin(3)
	for i := range 6 {
		time.Sleep(time.Duration(150+i*170) * time.Millisecond) // anywhere in its work
		d.kill()
		d.launch()
	}
	for _, id := range []string{"AGT-001", "AGT-002", "AGT-003"} {
		a := d.reaches(id, registry.Complete)
		blocks := d.events(id, registry.EventCheckpoint, registry.EventLate)
		if len(blocks) != 10 {
			t.Errorf("%s: %d blocks of 10:\n%s", id, len(blocks), strings.Join(blocks, "\n"))
		}
		for i, row := range blocks {
			place := fmt.Sprintf("turn 1, line %d:", 2+8*i)
			if !strings.Contains(row, place) || (i == 9) != strings.HasPrefix(row, string(registry.EventLate)) {
				t.Errorf("%s: row %d is %q, want %s", id, i, row, place)
			}
		}
		if a.Checkpoints != 9 || a.Turns != 1 || a.Attempt != 1 || !slices.Contains(a.Flags.Texts(), "exit status 3") {
			t.Errorf("%s: %d checkpoints, turn %d, attempt %d, flags %q", id, a.Checkpoints, a.Turns, a.Attempt,
				a.Flags)
		}
		if moves := d.events(id, registry.EventSpawning, registry.EventSpawned, registry.EventComplete,
			registry.EventFailed); len(moves) != 3 {
			t.Errorf("%s: %q", id, moves)
		}
	}
}

// TestEndWithoutSupervisor holds that a turn that ended while nobody looked is judged by what stands on disk.
func TestEndWithoutSupervisor(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
while [ ! -e $ROOT/go ]; do sleep 0.05; done
echo work > work.txt
printf 'no newline at the end'
exit 7
`, "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	d.kill()
	d.touch("go")
	turn := keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, "AGT-001", 1)}
	d.until("the turn's end", func() bool { state, err := turn.State(); return err == nil && state == keeper.Ended })
	if !session.SupervisorMissing(d.Project, d.state()) {
		t.Error("a missing supervisor is not noticed")
	}
	d.launch()
	a := d.reaches("AGT-001", registry.Failed)
	if !strings.Contains(a.LastError, "exit status 7: no newline at the end") || a.Head == a.Base ||
		!slices.Equal(a.FilesModified, []string{"work.txt"}) {
		t.Errorf("agent %+v", a)
	}
}

// TestKeeperKilled holds that an agent whose keeper died is FAILED with its processes ended and its work kept.
func TestKeeperKilled(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo work > work.txt; setsid sleep 300 & echo ready; sleep 300", "")
	d.begin(1)
	turn := keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, "AGT-001", 1)}
	d.until("output", func() bool { data, err := os.ReadFile(turn.Output()); return err == nil && len(data) > 0 })
	d.reaches("AGT-001", registry.Running)
	record, err := turn.Record()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(record.Keeper.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	a := d.reaches("AGT-001", registry.Failed)
	if !strings.Contains(a.LastError, "its keeper was gone") || record.Agent.Alive() ||
		!slices.Equal(a.FilesModified, []string{"work.txt"}) {
		t.Errorf("error %q, alive %v, files %q", a.LastError, record.Agent.Alive(), a.FilesModified)
	}
}

// TestMessagesOnceInOrder holds that messages reach the agent once and in order, the first turn's
// too, whatever supervisors die meanwhile.
func TestMessagesOnceInOrder(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "grep '^message [0-9]*$' $DELEGATE_PROMPT_FILE >> got.txt; block BLOCKED HELP",
		"max_parallel_agents: 1\n")
	ctx := context.Background()
	d.begin(1)
	d.reaches("AGT-001", registry.Checkpoint)
	sent := 0
	say := func(n int) {
		for range n {
			sent++
			if _, err := d.Message(ctx, "AGT-001", fmt.Sprintf("message %d", sent)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for turn := 2; turn < 6; turn++ {
		say(2)
		d.kill()
		say(1)
		sent++
		if _, err := d.Continue(ctx, "AGT-001", fmt.Sprintf("message %d", sent)); err != nil {
			t.Fatal(err)
		}
		d.launch()
		time.Sleep(time.Duration(turn*40) * time.Millisecond) // anywhere in the start of the turn
		d.kill()
		d.launch()
		d.until("the next turn", func() bool {
			a := d.agent("AGT-001")
			return a.Turns == turn && a.Status == registry.Checkpoint
		})
	}
	data, err := os.ReadFile(filepath.Join(d.agent("AGT-001").Worktree, "got.txt"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for line := range strings.SplitSeq(d.prompt("AGT-001", 5), "\n") {
		if n := 0; strings.HasPrefix(line, "message ") {
			if _, err := fmt.Sscanf(line, "message %d", &n); err != nil || n != last+1 && last != 0 {
				t.Errorf("prompt has %q after message %d", line, last)
			}
			last = n
		}
	}
	var want strings.Builder
	for n := 1; n <= sent; n++ {
		fmt.Fprintf(&want, "message %d\n", n)
	}
	if string(data) != want.String() {
		t.Errorf("delivered:\n%swant:\n%s", data, want.String())
	}
}

// TestMessageBeforeTheFirstTurn holds that what is said to a PENDING agent is in its first prompt, and only there.
func TestMessageBeforeTheFirstTurn(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP",
		"max_parallel_agents: 1\n")
	ctx := context.Background()
	d.begin(2)
	d.reaches("AGT-001", registry.Running)
	if _, err := d.Message(ctx, "AGT-002", "Mind the gap."); err != nil {
		t.Fatal(err)
	}
	d.touch("go")
	d.reaches("AGT-002", registry.Checkpoint)
	if strings.Count(d.prompt("AGT-002", 1), "Mind the gap.") != 1 {
		t.Errorf("first prompt:\n%s", d.prompt("AGT-002", 1))
	}
	if left, err := session.Queue(d.Project, d.state().Session.ID, "AGT-002"); err != nil || len(left) > 0 {
		t.Errorf("still queued: %v, %v", left, err)
	}
}

// TestCancelWhileStarting holds that an agent cancelled while its worktree is being made never runs on,
// with the session going on and with the session ended.
func TestCancelWhileStarting(t *testing.T) {
	long.Only(t)
	for name, sessionToo := range map[string]bool{"agent": false, "session": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDelegation(t, "echo $$ > $ROOT/ran; sleep 300",
				"setup: 'touch ../../setting-up; while [ ! -e ../../go ]; do sleep 0.05; done'\n"+
					withoutFence)
			d.begin(1)
			d.until("setup", func() bool { _, err := os.Stat(filepath.Join(d.root, "setting-up")); return err == nil })
			sessionID := d.state().Session.ID
			s := session.FindSupervisor(d.Project)
			if sessionToo {
				d.abortSession()
			} else if _, err := d.Abort(context.Background(), "AGT-001", ""); err != nil {
				t.Fatal(err)
			}
			d.touch("go")
			turn := keeper.Turn{Dir: d.TurnDir(sessionID, "AGT-001", 1)}
			d.until("the end of what was started", func() bool {
				log, err := os.ReadFile(filepath.Join(d.Private, "supervisor.log"))
				state, stateErr := turn.State()
				return err == nil && stateErr == nil && strings.Contains(string(log), " spawn AGT-001: ") &&
					state != keeper.Running && state != keeper.Lost
			})
			if sessionToo {
				d.until("the supervisor's end", func() bool { return !s.Alive() })
			}
			log, err := os.ReadFile(filepath.Join(d.Private, "supervisor.log"))
			if err != nil || strings.Contains(string(log), "panic") {
				t.Errorf("%v\n%s", err, log)
			}
		})
	}
}

// TestNextSessionAtOnce holds that a session begun while the last one's supervisor leaves is supervised.
func TestNextSessionAtOnce(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "block BLOCKED HELP", "")
	for range 6 {
		d.begin(1)
		d.reaches("AGT-001", registry.Checkpoint)
		d.abortSession()
	}
}

// TestOneSupervisor holds that of several only one supervises.
func TestOneSupervisor(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo x >> $ROOT/runs; block BLOCKED HELP", withoutFence)
	d.begin(1)
	for range 4 {
		if err := Supervise(context.Background(), d.Project, Options{Log: os.Stderr}); err != nil {
			t.Error(err)
		}
	}
	d.reaches("AGT-001", registry.Checkpoint)
	if data, err := os.ReadFile(filepath.Join(d.root, "runs")); err != nil || string(data) != "x\n" {
		t.Errorf("runs %q, %v", data, err)
	}
}

// TestReassignedDependency holds that whoever waits for the old agent waits for the new one (E-8).
func TestReassignedDependency(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "exit 1", "")
	ctx := context.Background()
	d.begin(1)
	d.reaches("AGT-001", registry.Failed)
	if _, err := d.Store.Update(ctx, func(tx *registry.Tx) error {
		_, err := tx.AddAgent(registry.Agent{Subtask: "After", Allowed: []string{"x"},
			Dependencies: []string{"AGT-001"}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	fresh, err := d.Reassign(ctx, "AGT-001", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.agent("AGT-002").Dependencies; !slices.Equal(got, []string{fresh.ID}) {
		t.Errorf("it waits for %q, want %s", got, fresh.ID)
	}
}
