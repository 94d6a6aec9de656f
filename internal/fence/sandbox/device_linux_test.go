package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"delegate/internal/sys/run"

	"golang.org/x/sys/unix"
)

// TestDevicesAreUsedAndNotChanged holds for root, whose nodes they are; nobody else may change one anyway.
func TestDevicesAreUsedAndNotChanged(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	g.may("echo x > /dev/null && head -c 4 /dev/zero > src/z && head -c 4 /dev/urandom > src/u && ! echo x > /dev/full")
	for _, device := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		g.mayNot("chmod 666 /dev/" + device) // the mode that it has, so that a failure does no harm
		g.mayNot("touch -r /dev/" + device + " -m /dev/" + device)
	}
	g.mayNot("chmod 666 /proc/self/fd/0 </dev/null")
	g.mayNot("chmod 666 /proc/self/fd/0") // the one that it was started with
}

func TestSecretsOfTheSystemAreHidden(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("another user than root reads none of them")
	}
	g := fenced(t, "src/**", "", "src/a.go")
	g.may("cat /etc/shadow > /dev/null")
	g.policy.Hidden = SystemSecrets()
	g.mayNot("cat /etc/shadow")
	g.mayNot("cat /etc/gshadow")
	g.may("cat /etc/passwd")
}

// watchesWord has this test binary make as many instances of inotify as it gets, and keep them for a while.
const watchesWord = "__watches"

func takeWatches() error {
	number := 0
	for ; number < 1<<16; number++ {
		if _, err := unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
			break
		}
	}
	if err := os.WriteFile("src/all", fmt.Appendln(nil, number), 0o644); err != nil {
		return err
	}
	for {
		if _, err := os.Stat("src/enough"); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

// TestWatchesAreLeftForThePerson holds that a process inside that takes all that it gets takes none of the person's.
func TestWatchesAreLeftForThePerson(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	file := filepath.Join(t.TempDir(), "policy.json")
	if err := g.policy.Write(file); err != nil {
		t.Fatal(err)
	}
	child, err := run.Keep(Wrap(run.Command{Path: run.Program(), Args: []string{watchesWord}, Dir: g.work}, file,
		Open, g.s))
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(g.work, "src")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if taken, err := os.ReadFile(filepath.Join(src, "all")); err == nil && len(taken) > 0 {
			t.Logf("taken inside: %s", taken)
			if string(taken) == "0\n" {
				t.Error("a watcher inside gets none")
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it took none")
		}
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Errorf("none is left outside: %v", err)
	}
	_ = unix.Close(fd)
	if err := os.WriteFile(filepath.Join(src, "enough"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if exit, err := child.Wait(); exit.Code != 0 || err != nil {
		t.Error(errors.Join(fmt.Errorf("exit %+v", exit), err))
	}
}

// terminalsWord has this test binary make as many terminals as it gets.
const terminalsWord = "__terminals"

func takeTerminals() error {
	number := 0
	for ; number < 1000; number++ {
		if _, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0); err != nil {
			break
		}
	}
	fmt.Println(number)
	return nil
}

// TestTerminalsAreLeftForOthers holds that an agent gets some of those that the system has, and not all.
func TestTerminalsAreLeftForOthers(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	out, _ := g.sh(run.Program() + " " + terminalsWord)
	if number, err := strconv.Atoi(strings.TrimSpace(out)); err != nil || number == 0 || number > 256 {
		t.Errorf("an agent got %q terminals, %v", out, err)
	}
}
