package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/atomicfile"
	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/objects"
)

// worthMemory is how many merges are worth asking where their objects can go.
const worthMemory = 16

// memory is a quarantine in memory. On a disk the objects of a merge, which are thrown away, take git longer than the
// merge.
type memory struct {
	folder string
	lock   *atomicfile.Guard // held as long as the folder is in use
	before *objects.Reader   // of the quarantine on the disk
	disk   *git.Repo
}

// mergeAll merges pairs, in memory where there is room. What goes wrong there is done once more on the disk.
func (r *Comparer) mergeAll(ctx context.Context, asked []git.Pair) ([]git.Outcome, error) {
	if len(asked) >= worthMemory && r.memory == nil {
		if err := r.enterMemory(); err != nil {
			return nil, err
		}
	}
	outcomes, err := r.held.MergeAll(ctx, asked)
	if r.memory == nil || err == nil && hasRoom(r.memory.folder) && !failed(outcomes) {
		return outcomes, err
	}
	if err := r.leaveMemory(); err != nil {
		return nil, err
	}
	return r.held.MergeAll(ctx, asked)
}

// failed reports whether git could not make a merge, for another reason than that there is nothing to begin at.
func failed(outcomes []git.Outcome) bool {
	for _, o := range outcomes {
		if o.Err != nil && !errors.Is(o.Err, git.ErrNoMergeBase) {
			return true
		}
	}
	return false
}

// enterMemory has objects go to memory from now on, if there is room, and if no fence lets agents reach it: without
// namespaces of their own they share the memory of all.
func (r *Comparer) enterMemory() error {
	place := inMemory()
	if place == "" || r.p.Config.Sandbox.Level != config.SandboxOff && !r.p.Inspects() {
		return nil
	}
	removeLeft(place)
	folder, err := os.MkdirTemp(place, memoryName)
	if err != nil {
		return nil // the disk serves as well
	}
	m := &memory{folder: folder, before: r.pairs, disk: r.held}
	if m.lock, err = atomicfile.TryLock(folder + lockEnding); err != nil {
		return os.RemoveAll(folder)
	}
	held, err := r.held.Quarantine(folder)
	if err != nil {
		return errors.Join(err, m.remove())
	}
	r.memory, r.held, r.pairs = m, held, objects.New(held)
	return nil
}

const (
	memoryName = "delegate-merges-"
	lockEnding = ".lock"
)

// removeLeft removes what a process that was ended left in memory.
func removeLeft(place string) {
	locks, _ := filepath.Glob(filepath.Join(place, memoryName+"*"+lockEnding))
	for _, name := range locks {
		if held, err := atomicfile.Held(name); err != nil || held {
			continue
		}
		if lock, err := atomicfile.TryLock(name); err == nil {
			m := memory{folder: name[:len(name)-len(lockEnding)], lock: lock}
			_ = m.remove() // another's is no fault of this comparison
		}
	}
}

// leaveMemory has objects go to the disk again.
func (r *Comparer) leaveMemory() error {
	m := r.memory
	if m == nil {
		return nil
	}
	err := r.pairs.Close()
	r.memory, r.held, r.pairs = nil, m.disk, m.before
	return errors.Join(err, m.remove())
}

// remove takes the folder away before its lock, so that nobody takes it for left while it is in use.
func (m *memory) remove() error {
	err := os.RemoveAll(m.folder)
	if err == nil {
		err = os.Remove(m.folder + lockEnding)
	}
	if m.lock != nil {
		err = errors.Join(err, m.lock.Unlock())
	}
	if err != nil {
		return fmt.Errorf("remove %q: %w", m.folder, err)
	}
	return nil
}
