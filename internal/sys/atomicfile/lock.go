package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrLocked says that another holder has the lock.
var ErrLocked = errors.New("locked by another process")

// HeldError says that a lock did not come free in time, and who holds it. It is an ErrLocked.
type HeldError struct {
	Path   string
	Holder Holder
	why    error // that ended the wait: the context's, or nil for the patience of Lock
}

// Holder is the process that holds a lock, as the kernel tells it: what stands in a file, anybody could write.
// The zero Holder is a process that is not known: of another system, or one that this process cannot see.
type Holder struct {
	PID  int
	Name string // its own choice
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d (%s)", h.PID, h.Name)
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("lock %q is held by %s", e.Path, e.Holder)
}

// Unwrap gives the reason why the wait ended as well, for those who tell an interruption from a deadline.
func (e *HeldError) Unwrap() []error {
	if e.why == nil {
		return []error{ErrLocked}
	}
	return []error{ErrLocked, e.why}
}

const (
	// patience is how long Lock waits where its context sets no deadline: what is done under such a lock takes moments.
	patience = 30 * time.Second
	// reportAfter is how long Await waits before it says so.
	reportAfter = time.Second

	firstPause = time.Millisecond
	longPause  = 20 * time.Millisecond
	// A probe by Held is so short that a few tries outlast it.
	probeTries = 4
)

type lockMode int

const (
	exclusive lockMode = iota
	shared
)

// Guard is a held lock. It ends with Unlock or with the process, whatever ends the process.
type Guard struct {
	file *os.File
	path string
}

// Lock waits until the lock file path is held exclusively or ctx ends; without a deadline in ctx,
// no longer than half a minute. The file and its folder are made if they are missing, and never
// deleted: a deleted lock file would let two holders lock two different files. A wait in vain is a
// *HeldError, which wraps the reason why ctx ended.
func Lock(ctx context.Context, path string) (*Guard, error) {
	within, cancel := ctx, func() {}
	if _, limited := ctx.Deadline(); !limited {
		within, cancel = context.WithTimeoutCause(ctx, patience, errPatience)
	}
	defer cancel()
	return Await(within, path, nil)
}

// errPatience ends a wait of Lock's own.
var errPatience = errors.New("waited long enough")

// Await is Lock for what is held for long: it waits as long as ctx lets it, and tells once for whom.
func Await(ctx context.Context, path string, report func(*HeldError)) (*Guard, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	pause, begun := firstPause, time.Now()
	for {
		err := tryFile(file, exclusive)
		if err == nil {
			return &Guard{file: file, path: path}, nil
		}
		if !errors.Is(err, ErrLocked) {
			return nil, errors.Join(fmt.Errorf("lock %q: %w", path, err), file.Close())
		}
		if report != nil && time.Since(begun) >= reportAfter {
			report(&HeldError{Path: path, Holder: holderOf(file)})
			report = nil
		}
		select {
		case <-ctx.Done():
			held := &HeldError{Path: path, Holder: holderOf(file), why: context.Cause(ctx)}
			if errors.Is(held.why, errPatience) {
				held.why = nil
			}
			return nil, errors.Join(held, file.Close())
		case <-time.After(pause):
		}
		pause = min(2*pause, longPause)
	}
}

// TryLock takes the lock if it is free.
// The error wraps ErrLocked if another holder has it.
func TryLock(path string) (*Guard, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for range probeTries {
		if err = tryFile(file, exclusive); !errors.Is(err, ErrLocked) {
			break
		}
		time.Sleep(firstPause)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %q: %w", path, err), file.Close())
	}
	return &Guard{file: file, path: path}, nil
}

// Held reports whether a process, this one included, holds the lock now.
// It creates nothing, and holds a shared lock only for the moment of the probe.
func Held(path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("probe lock: %w", err)
	}
	err = tryFile(file, shared)
	if errors.Is(err, ErrLocked) {
		return true, file.Close()
	}
	if err != nil {
		return false, errors.Join(fmt.Errorf("probe lock %q: %w", path, err), file.Close())
	}
	return false, errors.Join(unlockFile(file), file.Close())
}

// Unlock gives the lock back. A second call is an error.
func (g *Guard) Unlock() error {
	if err := errors.Join(unlockFile(g.file), g.file.Close()); err != nil {
		return fmt.Errorf("unlock %q: %w", g.path, err)
	}
	return nil
}

func openLock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make folder of lock: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return file, nil
}
