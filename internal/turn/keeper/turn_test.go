//go:build linux

package keeper_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/run"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
)

const patience = 30 * time.Second

// life is one turn of a shell script under a real keeper.
type life struct {
	*testing.T
	keeper.Turn
	dir string
}

// prepare makes a turn that runs the script in a folder of its own.
func prepare(t *testing.T, args ...string) life {
	t.Helper()
	dir := t.TempDir()
	mark := "DELEGATE_AGENT_DIR=" + dir
	turn, err := keeper.Prepare(filepath.Join(dir, "turn"), "the prompt\n", keeper.Spec{
		Args: args, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), mark}, Mark: mark,
		StopGrace: 500 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	l := life{T: t, Turn: turn, dir: dir}
	t.Cleanup(func() {
		if left := run.Marked(mark); len(left) > 0 {
			t.Errorf("left running: %v", left)
			_ = run.EndAll(func() []run.Process { return run.Marked(mark) }, 0)
		}
	})
	return l
}

// start runs the script under a keeper.
func start(t *testing.T, script string) life {
	t.Helper()
	l := prepare(t, "sh", "-c", script)
	l.keep()
	return l
}

func (l life) keep() {
	l.Helper()
	if state := l.state(); state != keeper.Prepared {
		l.Fatalf("state %v before a keeper, want Prepared", state)
	}
	if err := l.Start(program(l.T), nil); err != nil {
		l.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.AwaitStart(ctx); err != nil {
		l.Fatal(err)
	}
}

func program(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (l life) state() keeper.State {
	l.Helper()
	state, err := l.State()
	if err != nil {
		l.Fatal(err)
	}
	return state
}

// until waits for a condition.
func (l life) until(what string, holds func() bool) {
	l.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatalf("%s did not come about; output: %q", what, l.output())
		}
	}
}

func (l life) ended() keeper.Exit {
	l.Helper()
	l.until("the end", func() bool { return l.state() == keeper.Ended })
	exit, err := l.Exit()
	if err != nil {
		l.Fatal(err)
	}
	return exit
}

func (l life) output() string {
	data, _ := os.ReadFile(l.Output())
	return string(data)
}

// pid waits for a number in a file that the script writes.
func (l life) pid(name string) run.Identity {
	l.Helper()
	var id run.Identity
	l.until(name, func() bool {
		data, err := os.ReadFile(filepath.Join(l.dir, name))
		if err != nil || !strings.HasSuffix(string(data), "\n") {
			return false
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			l.Fatal(err)
		}
		id, err = run.Identify(n)
		return err == nil
	})
	return id
}

func (l life) dead(ids ...run.Identity) {
	l.Helper()
	for _, id := range ids {
		if id.Alive() {
			l.Errorf("process %d still runs", id.PID)
		}
	}
}

func TestExitStandsOnDisk(t *testing.T) {
	for name, c := range map[string]struct {
		script, output string
		code           int
		signal         string
	}{
		"well":            {"echo done", "done\n", 0, ""},
		"no newline":      {"printf done", "done", 0, ""},
		"both streams":    {"echo one; echo two >&2; echo three", "one\ntwo\nthree\n", 0, ""},
		"status":          {"echo no; exit 42", "no\n", 42, ""},
		"killed":          {"kill -9 $$", "", -1, "killed"},
		"terminated":      {"kill $$", "", -1, "terminated"},
		"no output":       {"true", "", 0, ""},
		"input is empty":  {"cat; echo end", "end\n", 0, ""},
		"NUL and no UTF8": {`printf '\000\377\n'`, "\x00\xff\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, c.script)
			exit := l.ended()
			if exit.Code != c.code || exit.Signal != c.signal || exit.Cause != keeper.ByItself || exit.Error != "" ||
				exit.Ended.IsZero() {
				t.Errorf("exit %+v, want code %d signal %q", exit, c.code, c.signal)
			}
			if l.output() != c.output {
				t.Errorf("output %q, want %q", l.output(), c.output)
			}
		})
	}
}

func TestMissingProgram(t *testing.T) {
	for name, missing := range map[string]string{"by name": "no-such-program-here", "by path": "./no-such-program",
		"a folder": "/tmp"} {
		t.Run(name, func(t *testing.T) {
			l := prepare(t, missing)
			if err := l.Start(program(t), nil); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := l.AwaitStart(ctx); err == nil || !strings.Contains(err.Error(), filepath.Base(missing)) {
				t.Errorf("error %v, want one that names %q", err, missing)
			}
			if exit := l.ended(); exit.Cause != keeper.NotStarted || exit.Error == "" {
				t.Errorf("exit %+v", exit)
			}
		})
	}
}

// TestStopEndsTheTree holds that no process is left, wherever it went.
func TestStopEndsTheTree(t *testing.T) {
	for name, script := range map[string]string{
		"plain":           `echo $$ > main; sleep 300 & echo $! > child; wait`,
		"ignores TERM":    `trap "" TERM; echo $$ > main; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & wait; while :; do sleep 1; done`,
		"own session":     `echo $$ > main; setsid sh -c 'echo $$ > child; exec sleep 300' & sleep 300`,
		"daemon":          `echo $$ > main; (setsid sh -c 'echo $$ > child; exec sleep 300' &) ; sleep 300`,
		"no environment":  `echo $$ > main; env -i sh -c 'echo $$ > child; exec sleep 300' & sleep 300`,
		"no mark, daemon": `echo $$ > main; (setsid env -i sh -c 'echo $$ > child; exec sleep 300' &) ; sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, script)
			ids := []run.Identity{l.pid("main"), l.pid("child")}
			if l.state() != keeper.Running {
				t.Fatalf("state %v, want Running", l.state())
			}
			if err := l.Stop(500 * time.Millisecond); err != nil {
				t.Fatal(err)
			}
			l.dead(ids...)
			if exit := l.ended(); exit.Cause != keeper.Stopped {
				t.Errorf("exit %+v, want stopped", exit)
			}
			if err := l.Stop(0); err != nil {
				t.Errorf("a second stop: %v", err)
			}
		})
	}
}

// TestEndWithChildrenLeft holds that a turn is over with its program: what it left behind is ended
// before the exit is told.
func TestEndWithChildrenLeft(t *testing.T) {
	for name, script := range map[string]string{
		"holds the output": `sh -c 'echo $$ > child; sleep 300' & while [ ! -s child ]; do sleep 0.01; done; exit 4`,
		"own session":      `setsid sh -c 'echo $$ > child; exec sleep 300' & while [ ! -s child ]; do sleep 0.01; done; exit 4`,
		"ignores TERM":     `sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & while [ ! -s child ]; do sleep 0.01; done; exit 4`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, script)
			exit := l.ended()
			if exit.Code != 4 || exit.Cause != keeper.ByItself {
				t.Errorf("exit %+v, want code 4", exit)
			}
			data, err := os.ReadFile(filepath.Join(l.dir, "child"))
			if err != nil {
				t.Fatal(err)
			}
			n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
			if id, err := run.Identify(n); err == nil {
				l.dead(id)
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	l := start(t, `trap 'echo stopped; exit 7' INT; echo $$ > main; while :; do sleep 0.05; done`)
	l.pid("main")
	if did, err := l.Interrupt(); err != nil || !did {
		t.Fatalf("interrupt: %v, %v", did, err)
	}
	if exit := l.ended(); exit.Cause != keeper.Interrupted || exit.Code != 7 {
		t.Errorf("exit %+v, want interrupted with code 7", exit)
	}
	l.until("the keeper's end", func() bool { did, err := l.Interrupt(); return err == nil && !did })
}

// TestLostKeeper holds that a turn whose keeper was killed is noticed, ended and given an exit.
func TestLostKeeper(t *testing.T) {
	l := start(t, `echo $$ > main; setsid sh -c 'echo $$ > child; exec sleep 300' & echo said; sleep 300`)
	ids := []run.Identity{l.pid("main"), l.pid("child")}
	record, err := l.Record()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(record.Keeper.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.until("a lost turn", func() bool { return l.state() == keeper.Lost })
	if err := l.FinalizeLost(500*time.Millisecond, time.Now()); err != nil {
		t.Fatal(err)
	}
	l.dead(ids...)
	if exit := l.ended(); exit.Cause != keeper.Stopped || exit.Error == "" {
		t.Errorf("exit %+v, want stopped with a reason", exit)
	}
	if l.output() != "said\n" {
		t.Errorf("output %q was not kept", l.output())
	}
}

// TestOneKeeper holds that of many keepers one runs the turn, and none after it has ended.
func TestOneKeeper(t *testing.T) {
	l := prepare(t, "sh", "-c", "echo once; sleep 0.2")
	for range 8 {
		if err := l.Start(program(t), nil); err != nil {
			t.Fatal(err)
		}
	}
	l.ended()
	if err := l.Start(program(t), nil); err != nil {
		t.Fatal(err)
	}
	if err := keeper.RunKeeper(l.Dir); err != nil {
		t.Error(err)
	}
	if l.output() != "once\n" {
		t.Errorf("output %q, want one run", l.output())
	}
	// Those that came too late write what they found into the turn's folder before they end.
	l.until("the end of all keepers", func() bool {
		return !slices.ContainsFunc(run.Descendants(os.Getpid()), func(p run.Process) bool { return !p.Zombie })
	})
}

// TestKeeperDoesNotStartTwice holds that a turn whose keeper died is not run again.
func TestKeeperDoesNotStartTwice(t *testing.T) {
	l := start(t, "echo $$ > main; echo once; sleep 300")
	l.pid("main")
	record, err := l.Record()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(record.Keeper.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.until("a lost turn", func() bool { return l.state() == keeper.Lost })
	if err := keeper.RunKeeper(l.Dir); err == nil {
		t.Error("a second keeper ran the turn")
	}
	if err := l.FinalizeLost(0, time.Now()); err != nil {
		t.Fatal(err)
	}
	if l.output() != "once\n" {
		t.Errorf("output %q", l.output())
	}
}

// TestReadable holds that events are never shown as they were printed, also before anything was made of them.
func TestReadable(t *testing.T) {
	t.Parallel()
	for form, shown := range map[dialect.Output]bool{dialect.PlainText: true, dialect.EventLines: false} {
		turn, err := keeper.Prepare(filepath.Join(t.TempDir(), "turn"), "the prompt\n",
			keeper.Spec{Args: []string{"true"}, Output: form})
		if err != nil {
			t.Fatal(err)
		}
		if got := turn.Readable() == turn.Output(); got != shown {
			t.Errorf("output %q: the transcript as it was printed is readable: %t", form, got)
		}
		if err := turn.AddReadable("words\n"); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(turn.Readable()); err != nil || string(text) != "words\n" {
			t.Errorf("output %q: readable is %q, %v", form, text, err)
		}
	}
}

// TestBeforeTheProgram holds that a turn whose keeper has not started the program yet is stopped
// and interrupted like any other.
func TestBeforeTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(keeper.Turn) error
		want keeper.Cause
	}{
		"stopped": {func(t keeper.Turn) error { return t.Stop(time.Second) }, keeper.Stopped},
		"interrupted": {func(t keeper.Turn) error {
			if found, err := t.Interrupt(); err != nil || !found {
				return fmt.Errorf("found %v, %w", found, err)
			}
			return nil
		}, keeper.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			l := prepare(t, "sleep", "300")
			// A prompt that nobody writes yet holds the keeper up.
			pipe := filepath.Join(l.dir, "prompt")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			spec, err := l.Spec()
			if err != nil {
				t.Fatal(err)
			}
			spec.Stdin = pipe
			if l.Turn, err = keeper.Prepare(l.Dir, "", spec); err != nil {
				t.Fatal(err)
			}
			if err := l.Start(program(t), nil); err != nil {
				t.Fatal(err)
			}
			l.until("the keeper", func() bool { return l.state() == keeper.Running })
			time.AfterFunc(200*time.Millisecond, func() {
				if file, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
					file.Close()
				}
			})
			if err := c.act(l.Turn); err != nil {
				t.Error(err)
			}
			if exit := l.ended(); exit.Cause != c.want {
				t.Errorf("exit %+v, want %q", exit, c.want)
			}
		})
	}
}

// TestStoppedBeforeItsKeeper holds that a turn that was stopped before a keeper came never begins.
func TestStoppedBeforeItsKeeper(t *testing.T) {
	l := prepare(t, "touch", "ran")
	if did, err := l.Interrupt(); did || err != nil {
		t.Errorf("interrupt: %v, %v", did, err)
	}
	if err := l.Stop(time.Second); err != nil {
		t.Fatal(err)
	}
	if status, mine := keeper.Main([]string{keeper.KeeperVerb, l.Dir}); status != 0 || !mine {
		t.Errorf("its keeper ended with %d", status)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "ran")); err == nil || l.ended().Cause != keeper.Stopped {
		t.Errorf("it ran (%v): %+v", err, l.ended())
	}
}
