//go:build linux || darwin

package run_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

// The test binary is the child of the tests: RUN_TEST_CHILD says what it does.
func TestMain(m *testing.M) {
	what, isChild := os.LookupEnv("RUN_TEST_CHILD")
	if !isChild {
		os.Exit(m.Run())
	}
	os.Exit(child(what))
}

func child(what string) int {
	ready := os.Getenv("RUN_TEST_READY")
	switch what {
	case "wait":
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	case "away": // starts a stubborn one in a session of its own and ends
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RUN_TEST_CHILD=stubborn")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return 3
		}
		return 0
	case "keeper":
		return keeper(ready, "RUN_TEST_READY="+ready)
	case "keeper without a mark":
		return keeper(ready, "")
	case "leader": // waits for its tool, and ends by its own interruption
		return leader(ready)
	case "tool":
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, syscall.SIGINT)
		note(ready)
		<-interrupted
		return 0
	case "ancestors":
		for _, above := range run.Ancestors() {
			fmt.Printf("%q\n", above.Args)
		}
		return 0
	default:
		return 4
	}
	note(ready)
	time.Sleep(5 * time.Minute)
	return 5
}

// note adds this process to the file of those that are ready.
func note(ready string) {
	file, err := os.OpenFile(ready, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(file, os.Getpid())
		file.Close()
	}
}

// leader tells by its status what it learned first: 0 of its own interruption, 1 of the end of its tool. It learns
// slowly, as one of many does on a busy machine.
func leader(ready string) int {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT)
	tool := exec.Command(os.Args[0])
	tool.Env = append(os.Environ(), "RUN_TEST_CHILD=tool", "RUN_TEST_READY="+ready)
	if err := tool.Start(); err != nil {
		return 3
	}
	ended := make(chan error, 1)
	go func() { ended <- tool.Wait() }()
	select {
	case <-ended:
		return 1
	case <-interrupted:
	}
	time.Sleep(30 * time.Millisecond)
	select {
	case <-ended:
		return 1
	default:
		return 0
	}
}

// keeper keeps a child that leaves a stubborn orphan in another session, and clears up behind it.
func keeper(ready, mark string) int {
	if err := run.AdoptOrphans(); err != nil {
		return 10
	}
	kept, err := run.Keep(run.Command{Path: os.Args[0], Env: append(os.Environ(), "RUN_TEST_CHILD=away")})
	if err != nil {
		return 11
	}
	if exit, err := kept.Wait(); err != nil || exit.Code != 0 {
		return 12
	}
	for range 1000 {
		if data, err := os.ReadFile(ready); err == nil && len(data) > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := kept.Clear(mark, 50*time.Millisecond); err != nil {
		return 13
	}
	if left := run.Descendants(os.Getpid()); len(left) != 0 {
		return 14
	}
	return 0
}

// self is the command that runs this binary as a child.
func self(t *testing.T, what string) (run.Command, string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	return run.Command{Path: os.Args[0], Env: append(os.Environ(), "RUN_TEST_CHILD="+what, "RUN_TEST_READY="+ready)},
		ready
}

// started waits for processes that note themselves in the file.
func started(t *testing.T, ready string, count int) []run.Identity {
	t.Helper()
	var all []run.Identity
	until(t, fmt.Sprintf("%d processes", count), func() bool {
		data, err := os.ReadFile(ready)
		return err == nil && strings.Count(string(data), "\n") >= count
	})
	data, err := os.ReadFile(ready)
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(data)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		id, err := run.Identify(pid)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if id.Alive() {
				_ = syscall.Kill(id.PID, syscall.SIGKILL)
			}
		})
		all = append(all, id)
	}
	return all
}

// until waits for a condition, with a deadline that only a hang reaches.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
