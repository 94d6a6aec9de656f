package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/land/analyze"
	"delegate/internal/sys/long"
	"delegate/internal/sys/run"
)

// awaitChild is the process of the analysis that this one has under way.
func awaitChild(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, p := range run.Descendants(os.Getpid()) {
			args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			if err == nil && strings.HasSuffix(string(args), "\x00"+analyze.Verb+"\x00") &&
				!strings.Contains(string(args), "__fence") {
				return p.PID
			}
		}
	}
	t.Fatal("no child came")
	return 0
}

// compareEndless compares two branches, at which the type checker would stay for good, until the
// context ends or the child does.
func compareEndless(t *testing.T, ctx context.Context, b *Comparer) <-chan error {
	t.Helper()
	tips, over := tipsOf(t, b, "bomb", "sound"), make(chan error, 1)
	go func() {
		found, err := b.Compare(ctx, tips, analyze.Checked)
		if err == nil && !conflict.Blocking(found) {
			err = fmt.Errorf("found %+v", found)
		}
		over <- err
	}()
	return over
}

func TestAnalysisEndsWithItsContext(t *testing.T) {
	b := hostile(t, endless(), "analysis_limit: 0\n")
	ctx, cancel := context.WithCancel(t.Context())
	over := compareEndless(t, ctx, b)
	child := awaitChild(t)
	awaitWork(t, child)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", child))
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"Max core file size", "Max file size"} {
		_, rest, _ := strings.Cut(string(limits), what)
		if words := strings.Fields(rest); len(words) < 2 || words[0] != "0" || words[1] != "0" {
			t.Errorf("%s is %q", what, words)
		}
	}
	if fence, err := b.fence(t.Context(), nil); err != nil {
		t.Fatal(err)
	} else if fence != nil && fence.Support.Namespaces {
		ours, theirs := network(t, os.Getpid()), network(t, child)
		if ours == theirs {
			t.Error("the child has the network of its parent")
		}
	}
	start := time.Now()
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("ended with %v after %s", err, time.Since(start))
	}
	if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the child is still there: %v", err)
	}
}

func network(t *testing.T, pid int) string {
	t.Helper()
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// awaitWork waits until the child has used the processor for a while, so that it is at what has no end.
func awaitWork(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		var ticks int
		if _, err := fmt.Sscan(strings.Fields(rest)[11], &ticks); err == nil && ticks > 50 {
			return
		}
	}
	t.Fatal("the child does not work")
}

// A child that somebody kills is said as that, and not remembered: the next comparison looks again.
func TestAnalysisThatIsKilled(t *testing.T) {
	long.Only(t)
	b := hostile(t, endless(), "analysis_limit: 0\n")
	for range 2 {
		over := compareEndless(t, t.Context(), b)
		child := awaitChild(t)
		awaitWork(t, child)
		if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
	}
}
