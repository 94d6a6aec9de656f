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

const (
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

// Lock waits until the lock file path is held exclusively or ctx ends.
// The file and its folder are made if they are missing, and never deleted:
// a deleted lock file would let two holders lock two different files.
// The error names path and wraps the reason why ctx ended.
func Lock(ctx context.Context, path string) (*Guard, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	pause := firstPause
	for {
		err := tryFile(file, exclusive)
		if err == nil {
			return &Guard{file: file, path: path}, nil
		}
		if !errors.Is(err, ErrLocked) {
			return nil, errors.Join(fmt.Errorf("lock %q: %w", path, err), file.Close())
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, errors.Join(fmt.Errorf("wait for lock %q: %w", path, err), file.Close())
		}
		pause = min(2*pause, longPause)
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// TryLock takes the lock if nobody holds it.
// The error wraps ErrLocked if somebody does.
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

// Held reports whether somebody, this process included, holds the lock now.
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
