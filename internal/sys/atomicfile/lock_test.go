package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func holdLock(args []string) error {
	if _, err := Lock(context.Background(), args[0]); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.ReadAll(os.Stdin)
	return err
}

func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "lock")
	if held, err := Held(path); err != nil || held {
		t.Fatalf("Held without a file = %v, %v", held, err)
	}
	cmd := child(t, "hold", path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	if held, err := Held(path); err != nil || !held {
		t.Errorf("Held = %v, %v, want true", held, err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("TryLock = %v, want ErrLocked", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var held *HeldError
	if _, err := Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrLocked) ||
		!errors.As(err, &held) {
		t.Fatalf("Lock = %v, want the deadline", err)
	}
	if runtime.GOOS == "linux" && held.Holder.PID != cmd.Process.Pid {
		t.Errorf("held by %v, want process %d: %v", held.Holder, cmd.Process.Pid, held)
	}
	reported := make(chan *HeldError, 1)
	waiting, stop := context.WithCancel(context.Background())
	if _, err := Await(waiting, path, func(h *HeldError) { reported <- h; stop() }); !errors.Is(err, context.Canceled) {
		t.Errorf("Await = %v, want that it was told to stop", err)
	}
	if h := <-reported; h.Holder != held.Holder {
		t.Errorf("told of %v, want %v", h.Holder, held.Holder)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = stdin.Close()
	_ = cmd.Wait()
	lock, err := Lock(context.Background(), path)
	if err != nil {
		t.Fatalf("lock of a killed process: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
	if lock.Unlock() == nil {
		t.Error("a second Unlock was accepted")
	}
	if held, err := Held(path); err != nil || held {
		t.Errorf("Held after Unlock = %v, %v", held, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock file is gone: %v", err)
	}
}

// TestLockHasADeadline holds that nobody waits for ever for who forgot to unlock.
func TestLockHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		mine, err := Lock(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		var held *HeldError
		_, err = Lock(context.Background(), path)
		if !errors.As(err, &held) || errors.Is(err, context.DeadlineExceeded) || time.Since(begun) < patience {
			t.Errorf("Lock = %v after %s", err, time.Since(begun))
		}
		if err := mine.Unlock(); err != nil {
			t.Error(err)
		}
	})
}

// increment adds one to the number in a file, again and again.
func increment(args []string) error {
	times, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for range times {
		lock, err := Lock(context.Background(), args[0]+".lock")
		if err != nil {
			return err
		}
		old, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(old))
		if err != nil {
			return err
		}
		if err := (Replacer{}).Replace(args[0], old, []byte(strconv.Itoa(n+1))); err != nil {
			return err
		}
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "number")
	write(t, path, "0")
	const processes, times = 16, 5
	var running []*exec.Cmd
	for range processes {
		cmd := child(t, "increment", path, strconv.Itoa(times))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got := read(t, path); got != strconv.Itoa(processes*times) {
		t.Errorf("number = %s, want %d", got, processes*times)
	}
}
