//go:build linux || darwin

package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

func TestOutput(t *testing.T) {
	c := run.Shell(`cat; printf %s "$X"; pwd; echo noise >&2`)
	c.Stdin, c.Env, c.Dir = strings.NewReader("in\n"), []string{"X=x ", "PATH=" + os.Getenv("PATH")}, "/"
	if out, err := run.Output(t.Context(), c); err != nil || string(out) != "in\nx /\n" {
		t.Errorf("Output = %q, %v", out, err)
	}
}

func TestAProgramThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, missing := run.Which("nosuch", dir, dir)
	_, unfit := run.Which("./file", dir, "")
	for err, want := range map[error]string{
		missing: `the program "nosuch" is in no folder of PATH`,
		unfit:   `the program "DIR/file" is not executable`,
		run.Foreground(t.Context(), run.Command{Path: "no-such-program"}): `the program "no-such-program" is in no ` +
			`folder of PATH`,
		run.Foreground(t.Context(), run.Command{Path: file + "2"}): `the program "DIR/file2" does not exist`,
		run.Foreground(t.Context(), run.Command{Path: "/bin/sh", Dir: file + "2"}): `the program "/bin/sh" did not ` +
			`start: its working folder "DIR/file2": no such file or directory`,
	} {
		if got := strings.ReplaceAll(fmt.Sprint(err), dir, "DIR"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExitError(t *testing.T) {
	for line, want := range map[string]struct {
		text string
		code int
	}{
		"echo out; echo why >&2; exit 3": {"sh: exit status 3: why", 3},
		"exit 1":                         {"sh: exit status 1", 1},
		"kill -9 $$":                     {"sh: ended by signal: killed", -1},
	} {
		_, err := run.Output(t.Context(), run.Shell(line))
		var exit *run.ExitError
		if !errors.As(err, &exit) || exit.Error() != want.text || run.ExitCode(err) != want.code {
			t.Errorf("%q: %v with code %d, want %q", line, err, run.ExitCode(err), want.text)
		}
	}
	_, err := run.Output(t.Context(), run.Command{Path: "git",
		Args: []string{"-c", "a.b=c", "rev-parse", "--verify", "--quiet", "nothing"}, Dir: t.TempDir()})
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Name != "git rev-parse" {
		t.Errorf("error %v, want one of git rev-parse", err)
	}
	_, err = run.Output(t.Context(), run.Shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 2"))
	if !errors.As(err, &exit) || len(exit.Stderr) > 4<<10 || !strings.HasSuffix(exit.Stderr, "the end") {
		t.Errorf("%d bytes of standard error are kept", len(exit.Stderr))
	}
	_, err = run.Output(t.Context(), run.Command{Path: "/no/such/program"})
	if !errors.Is(err, fs.ErrNotExist) || run.ExitCode(err) != -1 {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestOutputEndsWithItsContext(t *testing.T) {
	c, ready := self(t, "wait")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := run.Output(ctx, c)
		result <- err
	}()
	id := started(t, ready, 1)[0]
	cancel()
	err := <-result
	var exit *run.ExitError
	if !errors.Is(err, context.Canceled) || errors.As(err, &exit) {
		t.Errorf("error %v, want that of the context", err)
	}
	if id.Alive() {
		t.Error("the command is still there")
	}
}

// slow is a reader that comes late, by more than a process that was left behind is waited for.
type slow struct{ got int }

func (s *slow) Write(p []byte) (int, error) {
	if s.got == 0 {
		time.Sleep(2100 * time.Millisecond)
	}
	s.got += len(p)
	return len(p), nil
}

// An answer is read to its end, however long after the command's own end that is.
func TestLateReaderGetsAll(t *testing.T) {
	t.Parallel()
	var s slow
	c := run.Shell("head -c 60000 /dev/zero")
	c.Stdout = &s
	if err := run.Do(t.Context(), c); err != nil || s.got != 60000 {
		t.Errorf("%d of 60000 bytes, %v", s.got, err)
	}
}

// A wrapper may have left behind the process that answers.
func TestAnswerOfWhatWasLeftBehind(t *testing.T) {
	begin, ready := filepath.Join(t.TempDir(), "begin"), filepath.Join(t.TempDir(), "ready")
	c := run.Shell(`( : > "$1"; while ! test -e "$0"; do sleep 0.01; done; echo late ) & exit 0`)
	c.Args = append(c.Args, begin, ready)
	result := make(chan string, 1)
	go func() {
		out, err := run.Output(t.Context(), c)
		result <- fmt.Sprintf("%q %v", out, err)
	}()
	until(t, "the process", func() bool { _, err := os.Stat(ready); return err == nil })
	select {
	case got := <-result:
		t.Fatalf("Output did not wait: %s", got)
	case <-time.After(50 * time.Millisecond):
	}
	if err := os.WriteFile(begin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-result; got != `"late\n" <nil>` {
		t.Errorf("Output = %s", got)
	}
}

// Whoever holds an answer open holds nobody up for longer than the context or the limit.
func TestHeldAnswerEnds(t *testing.T) {
	held := func() (run.Command, string) {
		c, ready := self(t, "stubborn")
		line := run.Shell(`"$0" & echo done`)
		line.Args, line.Env = append(line.Args, c.Path), c.Env
		return line, ready
	}
	line, ready := held()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := run.Output(ctx, line)
		result <- err
	}()
	started(t, ready, 1) // its cleanup ends the process
	cancel()
	begin := time.Now()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("Output: %v, want the error of the context", err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it ended after %v", took)
	}
	line, ready = held()
	line.Limit = 300 * time.Millisecond
	_, err := run.Output(t.Context(), line)
	var late *run.TimeoutError
	if !errors.As(err, &late) || err.Error() != "sh: no answer after 300ms" {
		t.Errorf("Output: %v, want a TimeoutError", err)
	}
	started(t, ready, 1)
}

// Words are not an answer: who holds them open makes no fault. Where they are wanted as one, they are read to the end.
func TestHeldWords(t *testing.T) {
	c, ready := self(t, "wait")
	line := run.Shell(`"$0" >/dev/null & echo done`)
	line.Args, line.Env = append(line.Args, c.Path), c.Env
	if out, err := run.Output(t.Context(), line); err != nil || string(out) != "done\n" {
		t.Errorf("Output = %q, %v", out, err)
	}
	started(t, ready, 1)
	var both bytes.Buffer
	line = run.Shell("( sleep 0.2; echo late >&2 ) & echo early; exit 0")
	line.Stdout, line.Stderr = &both, &both
	if err := run.Do(t.Context(), line); err != nil || both.String() != "early\nlate\n" {
		t.Errorf("Do: %v, %q", err, both.String())
	}
}

// A command is asked to end first, so that it can remove its locks.
func TestOutputIsAskedToEnd(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := run.Shell(`trap 'rm lock; exit 1' TERM; : > lock; while :; do sleep 0.02; done`)
	c.Dir = dir
	over := make(chan error, 1)
	go func() {
		_, err := run.Output(ctx, c)
		over <- err
	}()
	lock := filepath.Join(dir, "lock")
	until(t, "the lock", func() bool { _, err := os.Stat(lock); return err == nil })
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock is still there")
	}
}

// What a command of the person's leaves behind is no fault, and what was written before the end is there.
func TestGroupReadsAllBeforeTheEnd(t *testing.T) {
	c, ready := self(t, "away")
	var out bytes.Buffer
	line := run.Shell(`"$0"; head -c 300000 /dev/zero; echo end >&2`)
	line.Args, line.Env, line.Stdout, line.Stderr = append(line.Args, c.Path), c.Env, &out, &out
	if err := run.Group(t.Context(), line); err != nil || out.Len() != 300004 ||
		!strings.HasSuffix(out.String(), "\x00end\n") {
		t.Errorf("Group: %v, %d bytes", err, out.Len())
	}
	started(t, ready, 1) // its cleanup ends the process
	var said, answer bytes.Buffer
	line = run.Shell("echo out; echo err >&2; exit 3")
	line.Stdout, line.Stderr = &answer, &said
	if err := run.Group(t.Context(), line); run.ExitCode(err) != 3 || answer.String() != "out\n" ||
		said.String() != "err\n" {
		t.Errorf("Group: %v, %q and %q", err, answer.String(), said.String())
	}
}

func TestGroupEndsAllAtTheLimit(t *testing.T) {
	c, ready := self(t, "stubborn")
	var out bytes.Buffer
	line := run.Shell(`"$0" & "$0" & echo two; "$0"`)
	line.Args, line.Env, line.Stdout = append(line.Args, c.Path), c.Env, &out
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	limited, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	err := run.Group(limited, line)
	if !errors.Is(err, run.ErrTimeLimit) || out.String() != "two\n" {
		t.Errorf("Group: %v, output %q", err, out.String())
	}
	data, readErr := os.ReadFile(ready)
	if readErr != nil || len(strings.Fields(string(data))) != 3 {
		t.Skipf("the machine was too slow to start three processes within the limit: %q", data)
	}
	until(t, "the group's end", func() bool { return len(run.Marked("RUN_TEST_READY="+ready)) == 0 })
}

func TestGroupEndsWhatTheCommandLeft(t *testing.T) {
	c, ready := self(t, "stubborn")
	line := run.Shell(`"$0" & while ! test -s "$1"; do sleep 0.01; done; exit 7`)
	line.Args, line.Env = append(line.Args, c.Path, ready), c.Env
	if err := run.Group(t.Context(), line); run.ExitCode(err) != 7 {
		t.Errorf("Group: %v, want exit status 7", err)
	}
	until(t, "the group's end", func() bool { return len(run.Marked("RUN_TEST_READY="+ready)) == 0 })
}

func TestGroupEndsWithItsCaller(t *testing.T) {
	c, ready := self(t, "wait")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- run.Group(ctx, c) }()
	id := started(t, ready, 1)[0]
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) || errors.Is(err, run.ErrTimeLimit) {
		t.Errorf("Group: %v", err)
	}
	until(t, "its end", func() bool { return !id.Alive() })
}

func TestWhich(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"first/tool": 0o644, "second/tool": 0o755, "work/tool": 0o755} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "work"))
	path := strings.Join([]string{".", "", filepath.Join(dir, "first"), filepath.Join(dir, "second")},
		string(os.PathListSeparator))
	for name, want := range map[string]string{
		"tool": "second/tool", "./tool": "work/tool", "../second/tool": "second/tool",
		filepath.Join(dir, "work/tool"): "work/tool",
	} {
		if got, err := run.Which(name, filepath.Join(dir, "work"), path); err != nil ||
			got != filepath.Join(dir, want) {
			t.Errorf("Which(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "missing", "./missing", "../first/tool", "../second", "-x"} {
		if got, err := run.Which(name, filepath.Join(dir, "work"), path); err == nil {
			t.Errorf("Which(%q) = %q", name, got)
		}
	}
}

func TestProgram(t *testing.T) {
	here, err := os.Stat(run.Program())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Stat(os.Args[0])
	if err != nil || !os.SameFile(here, self) {
		t.Errorf("Program = %q, which is not %q (%v)", run.Program(), os.Args[0], err)
	}
}

func TestDetach(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	for range 2 {
		started, err := run.Detach(run.Shell("echo out; echo err >&2; test -t 0 || echo no terminal"), log)
		if err != nil {
			t.Fatal(err)
		}
		started.Wait()
	}
	if data, err := os.ReadFile(log); err != nil || string(data) != strings.Repeat("out\nerr\nno terminal\n", 2) {
		t.Errorf("the log holds %q, %v", data, err)
	}
}

// TestForegroundIsAskedToEnd holds that a program on the terminal can clean up before it goes.
func TestForegroundIsAskedToEnd(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan error, 1)
	c := run.Shell(`trap 'echo cleaned > cleaned; exit 0' TERM; echo > ready; while :; do sleep 0.05; done`)
	c.Dir = dir
	go func() { over <- run.Foreground(ctx, c) }()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it did not begin")
		}
	}
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, err := os.Stat(filepath.Join(dir, "cleaned")); err != nil {
		t.Errorf("it had no time to clean up: %v", err)
	}
}
