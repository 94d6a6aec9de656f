//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/fence/guard"
	"delegate/internal/sys/long"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

// TestStall holds the whole ladder on an agent that never prints: nudged, respawned once with what
// went wrong in its prompt, nudged again, given to a person, flagged, and brought back by a
// message.
func TestStall(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
if grep -q "Wake up" $DELEGATE_PROMPT_FILE; then echo woken > woken.txt; block COMPLETE MERGE; exit; fi
echo half > half.txt
sleep 300
`, "stall: {QUICK: 1s}\nnudge_grace: 500ms\n")
	d.begin(1)
	d.until("the call for a person", func() bool { return d.agent("AGT-001").Flags.Has(registry.FlagStalled) })
	a := d.agent("AGT-001")
	rows := d.events("AGT-001", registry.EventNudged, registry.EventFailed, registry.EventRespawned,
		registry.EventEscalated)
	var kinds []string
	for _, row := range rows {
		kinds = append(kinds, strings.Fields(row)[0])
	}
	if got, want := strings.Join(kinds, " "), "NUDGED FAILED RESPAWNED NUDGED ESCALATED"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if a.Status != registry.Running || a.Attempt != 2 || a.Respawns != 1 {
		t.Errorf("%s, attempt %d, respawns %d", a.Status, a.Attempt, a.Respawns)
	}
	if kept, err := d.Repo.Files(context.Background(),
		"refs/delegate/"+d.state().Session.ID+"/AGT-001/turn-1"); err != nil || !slices.Contains(kept, "half.txt") {
		t.Errorf("the first attempt's work: %q, %v", kept, err)
	}
	if second := d.prompt("AGT-001", 2); !strings.Contains(second, "Attempt 1 ended like this") ||
		!strings.Contains(second, "no sign of life") {
		t.Errorf("the second attempt is not told what went wrong:\n%s", second)
	}
	waited, err := status.Wait(context.Background(), d.Project, []string{"AGT-001"}, time.Second)
	if err != nil || waited[0].TimedOut || !strings.Contains(waited[0].Guidance, "interrupt") {
		t.Errorf("a wait does not end for the person: %+v, %v", waited, err)
	}
	if _, err := d.MessageNow(context.Background(), "AGT-001", "Wake up."); err != nil {
		t.Fatal(err)
	}
	if a := d.reaches("AGT-001", registry.Complete); a.Flags.Has(registry.FlagStalled) ||
		!slices.Equal(a.FilesModified, []string{"half.txt", "woken.txt"}) {
		t.Errorf("flags %q, files %q", a.Flags, a.FilesModified)
	}
}

// TestSignsOfLife holds that none of the three signals alone is taken for silence, and that one
// printing without an end is alive.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	case $DELEGATE_AGENT in
	AGT-001) echo $i > busy.txt ;;
	AGT-002) echo $i > $DELEGATE_AGENT_DIR/HEARTBEAT_$DELEGATE_AGENT.md ;;
	AGT-003) printf . ;;
	esac
	sleep 0.3
done
echo done > done.txt
block COMPLETE MERGE
`, "stall: {QUICK: 2s}\nnudge_grace: 100ms\n")
	d.begin(3)
	for _, id := range []string{"AGT-001", "AGT-002", "AGT-003"} {
		a := d.reaches(id, registry.Complete)
		if rows := d.events(id, registry.EventNudged, registry.EventFailed, registry.EventEscalated); len(rows) > 0 ||
			a.Attempt != 1 {
			t.Errorf("%s, attempt %d: %q", id, a.Attempt, rows)
		}
	}
}

// TestSaidDoneAndHangs holds that a completed agent whose program does not end is not started anew.
func TestSaidDoneAndHangs(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo work > work.txt; block COMPLETE MERGE; sleep 300",
		"stall: {QUICK: 500ms}\nnudge_grace: 100ms\n")
	d.begin(1)
	if a := d.reaches("AGT-001", registry.Complete); !a.Flags.Has(registry.FlagDidNotEnd) ||
		a.Attempt != 1 {
		t.Errorf("flags %q, attempt %d", a.Flags, a.Attempt)
	}
}

// TestOverdue holds that a checkpoint that does not come is asked for, shown, and asked for again with the next turn.
func TestOverdue(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; echo busy; done; printf 'Status: ...'; exit 0",
		"checkpoint_interval: 500ms\n")
	d.begin(1)
	d.until("the flag", func() bool { return d.agent("AGT-001").Flags.Has(registry.FlagOverdue) })
	agentDir, err := os.ReadFile(filepath.Join(d.AgentDir(d.state().Session.ID, "AGT-001"), "COMMANDS.md"))
	if err != nil || !strings.Contains(string(agentDir), "[NUDGE] A checkpoint is overdue") {
		t.Errorf("desk %q, %v", agentDir, err)
	}
	if _, _, err := d.Interrupt(context.Background(), "AGT-001"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Continue(context.Background(), "AGT-001", "On."); err != nil {
		t.Fatal(err)
	}
	d.until("the second turn", func() bool {
		_, err := os.Stat(filepath.Join(d.TurnDir(d.state().Session.ID, "AGT-001", 2), "keeper.json"))
		return err == nil
	})
	if !strings.Contains(d.prompt("AGT-001", 2), "checkpoint is overdue") {
		t.Errorf("prompt of the second turn:\n%s", d.prompt("AGT-001", 2))
	}
	if rows := d.events("AGT-001", registry.EventNudged); len(rows) != 1 {
		t.Errorf("asked %d times: %q", len(rows), rows)
	}
}

// TestInterrupt holds what is interrupted and what is not: one that obeys, one that ignores every
// polite signal, one whose child holds the output open, one that ends in this moment, and idle
// ones.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
case $DELEGATE_AGENT in
AGT-001) sleep 300 ;;
AGT-002) trap '' INT TERM; echo deaf; while :; do sleep 1; done ;;
AGT-003) setsid sleep 300 & echo started; wait; sleep 300 ;;
AGT-004) trap 'echo w > w.txt; block COMPLETE MERGE; exit 0' INT; echo ready; while :; do sleep 0.05; done ;;
AGT-005) block BLOCKED HELP ;;
esac
`, "max_parallel_agents: 0\nstop_grace: 300ms\n")
	d.begin(5)
	for _, id := range []string{"AGT-001", "AGT-002", "AGT-003", "AGT-004"} {
		d.reaches(id, registry.Running)
	}
	d.reaches("AGT-005", registry.Checkpoint)
	for id, want := range map[string]registry.Status{
		"AGT-001": registry.Checkpoint, "AGT-002": registry.Checkpoint, "AGT-003": registry.Checkpoint,
		"AGT-004": registry.Complete, "AGT-005": registry.Checkpoint,
	} {
		if id == "AGT-004" {
			turn := keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, id, 1)}
			d.until("its trap", func() bool {
				data, err := os.ReadFile(turn.Output())
				return err == nil && len(data) > 0
			})
		}
		a, done, err := d.Interrupt(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != want || done != (id != "AGT-005") {
			t.Errorf("%s: %s, interrupted %v", id, a.Status, done)
		}
		if rows := d.events(id, registry.EventInterrupted); (len(rows) == 1) != done {
			t.Errorf("%s: rows %q", id, rows)
		}
		if _, again, err := d.Interrupt(context.Background(), id); err != nil || again {
			t.Errorf("%s: an idle agent was interrupted: %v, %v", id, again, err)
		}
	}
}

// TestTenMessages holds that messages sent at once are all delivered, in the order of their rows,
// across a dying supervisor.
func TestTenMessages(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "sleep 0.5; block BLOCKED HELP", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			if _, err := d.Message(context.Background(), "AGT-001", fmt.Sprintf("word %d.", n)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	d.kill()
	d.launch()
	d.reaches("AGT-001", registry.Checkpoint)
	if _, err := d.Continue(context.Background(), "AGT-001", "Go."); err != nil {
		t.Fatal(err)
	}
	d.until("the second turn", func() bool {
		a := d.agent("AGT-001")
		return a.Turns == 2 && a.Status == registry.Checkpoint
	})
	prompt, last := d.prompt("AGT-001", 2), -1
	rows := d.events("AGT-001", registry.EventMessage)
	if len(rows) != 10 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		word := row[strings.Index(row, "word "):]
		at := strings.Index(prompt, word)
		if at <= last || strings.Count(prompt, word) != 1 {
			t.Errorf("%q stands at %d of the prompt, after %d", word, at, last)
		}
		last = at
	}
	if _, err := d.Abort(context.Background(), "AGT-001", ""); err != nil {
		t.Fatal(err)
	}
	// One that was decided on while its agent still worked is taken back, and looked at again.
	var moved *registry.TransitionError
	if err := d.Say(context.Background(), d.state().Session.ID, "AGT-001", "At the same moment."); !errors.As(err,
		&moved) {
		t.Errorf("queued for an agent that takes nothing more: %v", err)
	}
	if left, err := session.Queue(d.Project, d.state().Session.ID, "AGT-001"); err != nil || len(left) > 0 {
		t.Errorf("still queued: %v, %v", left, err)
	}
	if _, err := d.Message(context.Background(), "AGT-001", "Too late."); err == nil ||
		!strings.Contains(err.Error(), "takes no more messages") {
		t.Errorf("message to an aborted agent: %v", err)
	}
}

// TestRestart holds that after a restart of the machine, in which no process is left, what ran is
// FAILED and can be resumed.
func TestRestart(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(
		t,
		`if grep -q "Go on" $DELEGATE_PROMPT_FILE; then block COMPLETE MERGE; exit; fi; echo work > work.txt; echo ready; sleep 300`,
		"",
	)
	d.begin(1)
	turn := keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, "AGT-001", 1)}
	d.until("output", func() bool { data, err := os.ReadFile(turn.Output()); return err == nil && len(data) > 0 })
	d.reaches("AGT-001", registry.Running)
	d.kill()
	record, err := turn.Record()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{record.Keeper.PID, record.Agent.PID} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []*string{&record.Keeper.Start, &record.Agent.Start} { // as they were before a restart
		_, ticks, _ := strings.Cut(*p, "/")
		*p = "00000000-aaaa-bbbb-cccc-000000000000/" + ticks
	}
	d.writeJSON(filepath.Join(turn.Dir, "keeper.json"), record)
	d.launch()
	if a := d.reaches("AGT-001", registry.Failed); !strings.Contains(a.LastError, "interrupted by restart") ||
		!slices.Equal(a.FilesModified, []string{"work.txt"}) {
		t.Errorf("error %q, files %q", a.LastError, a.FilesModified)
	}
	if _, err := d.Message(context.Background(), "AGT-001", "Go on."); err != nil {
		t.Fatal(err)
	}
	d.reaches("AGT-001", registry.Complete)
}

// TestKilledAtEveryStep ends the supervisor at each step of a first and of a second turn; the next
// one brings the agent to the same end.
func TestKilledAtEveryStep(t *testing.T) {
	steps := []string{stepAnnounced, stepWorktree, stepPrepared, stepDelivered, stepKept, stepStarted,
		transcript.StepBlocks,
		stepSnapshot, stepReported, stepOutside, stepJudged}
	for _, step := range steps {
		for turn := 1; turn <= 2; turn++ {
			if turn == 2 && slices.Contains([]string{stepAnnounced, stepWorktree, stepDelivered, stepStarted}, step) {
				continue // only a first turn has it
			}
			name := fmt.Sprintf("%s, turn %d", step, turn)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				long.Except(t, name, stepWorktree+", turn 1", stepSnapshot+", turn 2", stepJudged+", turn 1")
				d := newDelegation(t, "echo x >> runs.txt; git add runs.txt; git commit -q -m run; if grep -q 'One "+
					"more' $DELEGATE_PROMPT_FILE; then block COMPLETE MERGE; else block BLOCKED HELP; fi", "")
				d.record(1)
				if turn == 1 {
					d.crashAt(step)
					_, _ = Launch(context.Background(), d.Project) // it may be dead before anybody sees it
					d.crashed()
				}
				d.launch()
				d.reaches("AGT-001", registry.Checkpoint)
				if turn == 2 {
					d.crashAt(step)
				}
				if _, err := d.Continue(context.Background(), "AGT-001", "One more."); err != nil {
					t.Fatal(err)
				}
				if turn == 2 {
					d.crashed()
					d.launch()
				}
				a := d.reaches("AGT-001", registry.Complete)
				rows := d.events("AGT-001", registry.EventSpawning, registry.EventSpawned, registry.EventCheckpoint,
					registry.EventContinued, registry.EventComplete,
					registry.EventFailed, registry.EventLate)
				// Each block is a row when it is seen, and the verdict is one.
				if len(rows) != 7 || a.Turns != 2 || a.Attempt != 1 || a.Checkpoints != 2 {
					t.Errorf("turn %d, attempt %d, %d checkpoints, rows:\n%s", a.Turns, a.Attempt, a.Checkpoints,
						strings.Join(rows, "\n"))
				}
				if runs, err := os.ReadFile(filepath.Join(a.Worktree, "runs.txt")); err != nil ||
					string(runs) != "x\nx\n" {
					t.Errorf("runs %q, %v", runs, err)
				}
				if strings.Count(d.prompt("AGT-001", 2), "One more.") != 1 {
					t.Errorf("the message stands %d times in the prompt",
						strings.Count(d.prompt("AGT-001", 2), "One more."))
				}
			})
		}
	}
}

// TestTokenLimit holds that a budget stops the agent with a structured result, and that usage is kept by turn.
func TestTokenLimit(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
use() { printf '{"input_tokens": %d, "output_tokens": 50, "cost_usd": 0.25}' $1 > $DELEGATE_AGENT_DIR/usage.json; }
if grep -q "Message from" $DELEGATE_PROMPT_FILE; then use 9000; sleep 300; fi
use 100; echo w > w.txt; block BLOCKED HELP
`, "budget: {agent: 1k tokens}\n")
	d.begin(1)
	if a := d.reaches("AGT-001", registry.Checkpoint); a.Tokens != 150 || a.Cost.USD != 0.25 {
		t.Errorf("%d tokens, cost %v", a.Tokens, a.Cost)
	}
	if _, err := d.Continue(context.Background(), "AGT-001", ""); err != nil {
		t.Fatal(err)
	}
	a := d.reaches("AGT-001", registry.Failed)
	r := status.ReportOf(d.Project, d.state(), a)
	if a.Tokens != 9200 || a.Cost.USD != 0.5 || r.Result != "failed" || r.Limit != "token limit" ||
		!slices.Equal(r.Files, []string{"w.txt"}) {
		t.Errorf("%d tokens, cost %v, report %+v", a.Tokens, a.Cost, r)
	}
}

// TestSpool holds that a refused attempt becomes one violation, that rubbish in the spool becomes
// nothing, and that no pipe on the desk holds anybody up.
func TestSpool(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "mkfifo $DELEGATE_AGENT_DIR/usage.json $DELEGATE_AGENT_DIR/history.md "+
		"$DELEGATE_AGENT_DIR/inbox/x.md; mkdir -p $DELEGATE_AGENT_DIR/spool/folder; mkfifo "+
		"$DELEGATE_AGENT_DIR/spool/y.json; echo '{' > $DELEGATE_AGENT_DIR/spool/x.json; while [ ! -e $ROOT/go ]; do "+
		"sleep 0.05; done; echo w > w.txt; block COMPLETE MERGE", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	agentDir := d.AgentDir(d.state().Session.ID, "AGT-001")
	d.until("an empty spool", func() bool { return !agentdir.Dir(agentDir).HasRefusals() })
	at := agentdir.Refusal{Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Layer: "delegate",
		Operation: "delegate abort\n| AGT-002 | forged", Path: "a"}
	for range 2 {
		if err := agentdir.Dir(agentDir).Report(at); err != nil {
			t.Fatal(err)
		}
		d.until("an empty spool", func() bool { return !agentdir.Dir(agentDir).HasRefusals() })
	}
	d.touch("go")
	a := d.reaches("AGT-001", registry.Complete)
	rows := d.events("AGT-001", registry.EventViolation)
	if len(rows) != 1 || a.Violations != 1 ||
		rows[0] != "VIOLATION refused (delegate, 03.04.05.000006): delegate abort; a" {
		t.Errorf("%d violations, rows %q", a.Violations, rows)
	}
}

// TestPause holds that a paused session lets a running turn end and starts none, until it is lifted.
func TestPause(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP",
		"max_parallel_agents: 1\n")
	ctx := context.Background()
	d.begin(2)
	d.reaches("AGT-001", registry.Running)
	if changed, err := d.Pause(ctx); err != nil || !changed {
		t.Fatal(changed, err)
	}
	d.touch("go")
	d.reaches("AGT-001", registry.Checkpoint)
	if _, err := d.Continue(ctx, "AGT-001", "On."); err != nil {
		t.Fatal(err)
	}
	if waited, err := status.Wait(ctx, d.Project, nil, 5*tick); err != nil || waited[0].TimedOut ||
		!strings.Contains(waited[0].Guidance, "paused") {
		t.Errorf("a wait while paused: %+v, %v", waited, err)
	}
	if _, done, err := d.Interrupt(ctx, "AGT-001"); err != nil || done {
		t.Errorf("a turn that has not begun was interrupted: %v, %v", done, err)
	}
	elapsed := func() time.Duration {
		return session.Elapsed(d.Project, d.state().Session.ID, d.agent("AGT-001"))
	}
	worked := elapsed()
	time.Sleep(5 * tick)
	if more := elapsed() - worked; more > 0 {
		t.Errorf("time passes in a pause: %s", more)
	}
	if a, b := d.agent("AGT-001"), d.agent("AGT-002"); b.Status != registry.Pending || a.Status != registry.Running {
		t.Errorf("%s and %s while paused", a.Status, b.Status)
	}
	if turn := (keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, "AGT-001", 2)}); turn.Whole() {
		t.Error("a turn was started while paused")
	}
	if changed, err := d.Unpause(ctx); err != nil || !changed {
		t.Fatal(changed, err)
	}
	d.until("both", func() bool {
		return d.agent("AGT-001").Status == registry.Checkpoint && d.agent("AGT-001").Turns == 2 &&
			d.agent("AGT-002").Status == registry.Checkpoint
	})
}

// TestScopeWidenedInATurn holds that the hook of a running turn decides by the scope as a person widened it.
func TestScopeWidenedInATurn(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "while [ ! -e $ROOT/go ]; do sleep 0.05; done; block BLOCKED HELP", "")
	d.begin(1)
	a := d.reaches("AGT-001", registry.Running)
	path := filepath.Join(d.TurnDir(d.state().Session.ID, "AGT-001", 1), agent.PolicyFile)
	folder := d.AgentRoot(d.state().Session.ID, "AGT-001")
	before := guard.Policy{Agent: a.ID, Worktree: a.Worktree, AgentDir: folder + "/desk", Home: folder + "/home",
		Tmp: folder + "/tmp", Allowed: a.Allowed}
	if err := before.Write(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.ChangeScope(context.Background(), "AGT-001",
		control.ScopeChange{Allow: []string{"more/**"}}); err != nil {
		t.Fatal(err)
	}
	if now, err := guard.Load(path); err != nil || !slices.Equal(now.Allowed, append(a.Allowed, "more/**")) {
		t.Errorf("allowed %q, %v", now.Allowed, err)
	}
	d.touch("go")
	d.reaches("AGT-001", registry.Checkpoint)
}
