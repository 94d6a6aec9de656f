//go:build linux || darwin

package notify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"delegate/internal/sys/long"
	"delegate/internal/sys/run"
)

func event(details string) Event {
	return Event{
		Session: "DEL-20260102-150405", Agent: "AGT-001", Event: "FAILED", Details: details, Status: "FAILED",
		Time: time.Date(2026, 1, 2, 16, 4, 5, 0, time.FixedZone("", 3600)),
	}
}

// script puts a program of the shell into the folder.
func script(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCommandGetsTheEvent(t *testing.T) {
	folder := t.TempDir()
	script(t, folder, "tell", `cat > got; printf '%s\n' "$X" "$@" > args; echo noise; echo noise >&2`)
	details := "two\nlines, \"quotes\", <tags> & \x1b " + strings.Repeat("long ", 100_000)
	o := Options{Command: []string{"./tell", "a b", "$X", "`c`"}, Dir: folder,
		Env: []string{"X=x", "PATH=" + os.Getenv("PATH")}}
	if err := Send(t.Context(), o, event(details)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(folder, "args")); got != "x\na b\n$X\n`c`\n" {
		t.Errorf("environment and arguments: %q", got)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(content(t, filepath.Join(folder, "got"))), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"session": "DEL-20260102-150405", "agent": "AGT-001", "event": "FAILED", "details": details, "status": "FAILED",
		"time": "2026-01-02T15:04:05Z",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("event %.300q", got)
	}
}

// An event is larger than what a pipe holds, so that whoever does not read it leaves it unwritten.
func TestCommandThatDoesNotRead(t *testing.T) {
	folder := t.TempDir()
	large := event(strings.Repeat("x", 1<<20))
	for text, code := range map[string]int{"exit 0": 0, "exec <&-; sleep 0.1": 0, "exit 3": 3} {
		err := Send(t.Context(), Options{Command: []string{script(t, folder, "tell", text)}}, large)
		if run.ExitCode(err) != code {
			t.Errorf("%q: %v, want exit status %d", text, err, code)
		}
	}
}

func TestCommandIsEndedWithItsGroup(t *testing.T) {
	long.Only(t) // as long as a notification may take
	t.Parallel()
	folder := t.TempDir()
	mark := "NOTIFY_TEST=" + folder
	hang := script(t, folder, "hang", `sleep 300 & echo $! > pid; sleep 300`)
	o := Options{Command: []string{hang}, Dir: folder, Env: append(os.Environ(), mark)}
	begin := time.Now()
	err := Send(t.Context(), o, event(strings.Repeat("x", 1<<20)))
	if !errors.Is(err, run.ErrTimeLimit) || time.Since(begin) < limit {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	if content(t, filepath.Join(folder, "pid")) == "" {
		t.Error("the command started nothing")
	}
	for deadline := time.Now().Add(time.Minute); len(run.Marked(mark)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what the command started is still there")
		}
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	for _, name := range []string{"no-such-program", "/no/such/program", ""} {
		err := Send(t.Context(), Options{Command: []string{name}}, event(""))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := Send(t.Context(), Options{}, event("")); err != nil {
		t.Errorf("no way to tell: %v", err)
	}
}

// desktop is an environment in which the desktop's program is a script that writes its arguments down.
func desktop(t *testing.T, text string) (Options, string) {
	t.Helper()
	folder := t.TempDir()
	args := filepath.Join(folder, "args")
	script(t, folder, display(runtime.GOOS, Event{})[0], `printf '%s\0' "$@" > `+args+"\n"+text)
	env := []string{"PATH=/nowhere", "DISPLAY=", "WAYLAND_DISPLAY=wayland-0",
		"PATH=" + folder + ":" + os.Getenv("PATH")}
	return Options{Desktop: true, Env: env}, args
}

func TestDesktop(t *testing.T) {
	o, args := desktop(t, "")
	if err := Send(t.Context(), o, event("--help")); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(content(t, args), "\x00"), "\x00")
	if n := len(got); n < 3 || got[n-2] != "delegate: AGT-001 FAILED" || got[n-1] != "--help" {
		t.Errorf("arguments %q", got)
	}
}

func TestNoDesktop(t *testing.T) {
	o, _ := desktop(t, "")
	o.Env = append(o.Env, "PATH=/nowhere")
	if err := Send(t.Context(), o, event("")); err != nil {
		t.Errorf("without the program: %v", err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("this system always has a desktop")
	}
	o, args := desktop(t, "")
	o.Env = append(o.Env, "WAYLAND_DISPLAY=")
	if err := Send(t.Context(), o, event("")); err != nil {
		t.Errorf("without a display: %v", err)
	}
	if _, err := os.Stat(args); err == nil {
		t.Error("the desktop's program was started")
	}
}

func TestBothAreTried(t *testing.T) {
	o, args := desktop(t, "exit 4")
	o.Command = []string{"no-such-program"}
	err := Send(t.Context(), o, event(""))
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Code != 4 || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("error %v", err)
	}
	content(t, args)
}
