//go:build linux || darwin

package run_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

// begin starts this binary as a child of the test and waits until it is ready.
func begin(t *testing.T, what string) (*exec.Cmd, run.Identity, string) {
	t.Helper()
	c, ready := self(t, what)
	cmd := exec.Command(c.Path)
	cmd.Env = c.Env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, started(t, ready, 1)[0], "RUN_TEST_READY=" + ready
}

func TestIdentity(t *testing.T) {
	cmd, id, _ := begin(t, "wait")
	if !id.Alive() || !run.Self().Alive() {
		t.Error("a living process is taken for dead")
	}
	other := id
	other.Start += "1"
	if other.Alive() || (run.Identity{}).Alive() || (run.Identity{PID: -1}).Alive() ||
		(run.Identity{PID: id.PID}).Alive() {
		t.Error("a process that started at another time is taken for the same")
	}
	if err := run.InterruptProcess(other); !errors.Is(err, run.ErrNoProcess) {
		t.Errorf("interrupting what is gone: %v", err)
	}
	run.Terminate(other)
	if !id.Alive() {
		t.Fatal("a process with the same number was ended")
	}
	run.Terminate(id)
	until(t, "its end", func() bool { return !id.Alive() })
	if _, err := run.Identify(id.PID); err != nil { // nobody has waited for it
		t.Errorf("the zombie is gone: %v", err)
	}
	_ = cmd.Wait()
	if _, err := run.Identify(id.PID); !errors.Is(err, run.ErrNoProcess) {
		t.Errorf("identity of what is gone: %v", err)
	}
}

func has(all []run.Process, id run.Identity) bool {
	for _, p := range all {
		if p.PID == id.PID && p.Start == id.Start {
			return true
		}
	}
	return false
}

func TestDescendantsAndMarked(t *testing.T) {
	cmd, id, mark := begin(t, "wait")
	if !has(run.Descendants(os.Getpid()), id) || has(run.Descendants(id.PID), id) {
		t.Error("descendants are wrong")
	}
	if all := run.Marked(mark); len(all) != 1 || !has(all, id) {
		t.Errorf("Marked(%q) = %+v", mark, all)
	}
	if all := run.Marked(mark[:len(mark)-1]); len(all) != 0 {
		t.Errorf("a part of the mark finds %+v", all)
	}
	_ = cmd.Process.Kill()
	until(t, "its end", func() bool { return !id.Alive() })
	if has(run.Descendants(os.Getpid()), id) || len(run.Marked(mark)) != 0 {
		t.Error("a zombie counts as living")
	}
}

func TestEndAllWhatIgnoresTheFirstSignal(t *testing.T) {
	_, id, mark := begin(t, "stubborn")
	if err := run.EndAll(func() []run.Process { return run.Marked(mark) }, 100*time.Millisecond); err != nil {
		t.Error(err)
	}
	if id.Alive() {
		t.Error("it is still there")
	}
}

func TestEndAllAsksFirst(t *testing.T) {
	cmd, _, mark := begin(t, "wait")
	if err := run.EndAll(func() []run.Process { return run.Marked(mark) }, time.Minute); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended by %v, want a polite signal", cmd.ProcessState)
	}
}

// A process that left its group, its session and its parent is found by the mark in its environment.
func TestEndAllAnOrphanInItsOwnSession(t *testing.T) {
	c, ready := self(t, "away")
	if _, err := run.Output(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	id, mark := started(t, ready, 1)[0], "RUN_TEST_READY="+ready
	if !has(run.Marked(mark), id) {
		t.Skip("this system does not tell another process's environment")
	}
	if err := run.EndAll(func() []run.Process { return run.Marked(mark) }, 100*time.Millisecond); err != nil {
		t.Error(err)
	}
	if id.Alive() {
		t.Error("it is still there")
	}
}

// The keeper is a process of its own, because adopting orphans would change this one for all tests.
func TestKeeperClearsOrphans(t *testing.T) {
	roles := []string{"keeper"}
	if runtime.GOOS == "linux" { // elsewhere orphans are found by their mark alone
		roles = append(roles, "keeper without a mark")
	}
	for _, role := range roles {
		c, ready := self(t, role)
		if _, err := run.Output(t.Context(), c); err != nil {
			t.Errorf("the %s: %v", role, err)
		}
		if left := run.Marked("RUN_TEST_READY=" + ready); len(left) != 0 {
			t.Errorf("the %s left behind: %+v", role, left)
		}
	}
}

func TestKeep(t *testing.T) {
	for line, want := range map[string]run.Exit{
		"exit 0":        {},
		"exit 9":        {Code: 9},
		"kill -TERM $$": {Code: -1, Signal: syscall.SIGTERM.String()},
	} {
		kept, err := run.Keep(run.Shell(line))
		if err != nil {
			t.Fatal(err)
		}
		if exit, err := kept.Wait(); err != nil || exit != want {
			t.Errorf("%q: %+v, %v; want %+v", line, exit, err, want)
		}
	}
	c, ready := self(t, "wait")
	kept, err := run.Keep(c)
	if err != nil {
		t.Fatal(err)
	}
	if id := started(t, ready, 1)[0]; id != kept.Identity {
		t.Errorf("identity %+v, the child is %+v", kept.Identity, id)
	}
	if err := kept.Interrupt(); err != nil {
		t.Error(err)
	}
	if exit, err := kept.Wait(); err != nil || exit.Signal != syscall.SIGINT.String() {
		t.Errorf("interrupted: %+v, %v", exit, err)
	}
	if _, err := run.Keep(run.Command{Path: "/no/such/program"}); err == nil {
		t.Error("a program that is not there was started")
	}
}

// A program that is interrupted learns of it before it learns that its tool has ended.
func TestInterruptTellsTheProgramBeforeItsTools(t *testing.T) {
	c, ready := self(t, "leader")
	kept, err := run.Keep(c)
	if err != nil {
		t.Fatal(err)
	}
	tool := started(t, ready, 1)[0]
	if err := kept.Interrupt(); err != nil {
		t.Error(err)
	}
	if exit, err := kept.Wait(); err != nil || exit.Code != 0 {
		t.Errorf("the program ended with %+v, %v; 1 is an end of its tool before its interruption", exit, err)
	}
	until(t, "the tool has ended", func() bool { return !tool.Alive() })
}

func TestAncestors(t *testing.T) {
	c, _ := self(t, "ancestors")
	out, err := run.Output(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(out), "\n"); !strings.Contains(first, os.Args[0]) {
		t.Errorf("the nearest parent is %s, want this test", first)
	}
}
