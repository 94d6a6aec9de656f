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
	"strconv"
	"testing"
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
	if _, err := Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Lock = %v, want the deadline", err)
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

// Increment adds one to the number in a file, again and again.
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
