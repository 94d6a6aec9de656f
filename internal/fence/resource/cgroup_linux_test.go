package resource_test

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

	"delegate/internal/fence/resource"
	"delegate/internal/sys/run"
)

// makerVariable has this test binary make a group, tell where it is, and die without a word.
const makerVariable = "RESOURCE_TEST_MAKER"

func TestMain(m *testing.M) {
	if os.Getenv(makerVariable) != "" {
		g, held := resource.Make(resource.Limits{Processes: 10})
		if g == nil {
			fmt.Println(held.Fault)
			os.Exit(1)
		}
		fmt.Println(g.Dir().Name())
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	os.Exit(m.Run())
}

func makeGroup(t *testing.T, l resource.Limits) *resource.Group {
	t.Helper()
	g, held := resource.Make(l)
	if g == nil {
		t.Skip("no control group can be made here: ", held.Fault)
	}
	if !held.Whole() {
		t.Fatalf("held: %s", held)
	}
	return g
}

func TestGroupHoldsMemoryAndProcesses(t *testing.T) {
	g := makeGroup(t, resource.Limits{Memory: 48 << 20, Processes: 12})
	place := g.Dir().Name()
	sh := func(script string) (string, error) {
		var out bytes.Buffer
		err := run.Do(context.Background(), run.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/",
			Within: g.Dir(), Stdout: &out, Stderr: &out})
		return out.String(), err
	}
	if out, err := sh("cat /proc/self/cgroup"); err != nil || !strings.Contains(out, filepath.Base(place)) {
		t.Errorf("the command runs elsewhere: %s, %v", out, err)
	}
	if out, _ := sh("head -c 200m /dev/zero | tail -n 1 > /dev/null; echo after"); !strings.Contains(out, "after") {
		t.Errorf("more was killed than what used the memory: %s", out)
	}
	const many = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 600 >/dev/null 2>&1 & done; echo all"
	if out, err := sh(many); err == nil && strings.Contains(out, "all") {
		t.Errorf("14 processes were started: %s", out)
	}
	met := g.Close()
	if met.Killed == 0 || met.Refused == 0 {
		t.Errorf("met %+v", met)
	}
	if _, err := os.Stat(place); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the group is left: %v", err)
	}
}

// TestGroupWithEveryLimit holds also where the share of the processor is not to be had: the others are held then.
func TestGroupWithEveryLimit(t *testing.T) {
	g, held := resource.Make(resource.Defaults())
	if g == nil {
		makeGroup(t, resource.Limits{Processes: 10}).Close()
		t.Fatalf("one limit is held, and not all: %s", held)
	}
	g.Close()
	if held.None() {
		t.Errorf("held: %s", held)
	}
}

func TestGroupOfAKilledMakerIsRemoved(t *testing.T) {
	makeGroup(t, resource.Limits{Processes: 10}).Close()
	out, _ := run.Output(context.Background(), run.Command{Path: run.Program(), Dir: "/",
		Env: append(os.Environ(), makerVariable+"=1")})
	place := strings.TrimSpace(string(out))
	if _, err := os.Stat(place); err != nil {
		t.Fatalf("the maker left no group: %s, %v", out, err)
	}
	living := makeGroup(t, resource.Limits{Processes: 10})
	defer living.Close()
	if _, err := os.Stat(place); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	other := makeGroup(t, resource.Limits{Processes: 10})
	defer other.Close()
	if _, err := os.Stat(living.Dir().Name()); err != nil {
		t.Errorf("a group whose maker lives is gone: %v", err)
	}
}
