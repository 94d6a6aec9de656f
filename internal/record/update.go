package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Update changes the registry: under the lock it reads the file, restores what was lost, runs fn on a copy and writes.
// It returns the state that was written.
// If fn returns an error, nothing of it is written and that error comes back.
// Fn may be run again when somebody saved the file meanwhile, so it must have no other effects.
// Changes that wait for the lock in one process are written together, in the order in which they came.
// Errors besides fn's: *registry.SyntaxError and *registry.VersionError, with the file untouched;
// the lock's, which wraps why ctx ended.
func (s *Store) Update(ctx context.Context, fn func(*registry.Tx) error) (registry.State, error) {
	w := &change{ctx: ctx, fn: fn, done: make(chan struct{}), next: make(chan struct{})}
	if !s.writes.join(w) {
		return w.state, w.err
	}
	s.lead(w)
	return w.state, w.err
}

func (s *Store) lockFile() string { return s.decisions.lock }

// writes are those of one process. The first of them takes the registry's lock and writes for all that came until it
// had that; then the next one does.
type writes struct {
	mu      sync.Mutex
	waiting []*change
	led     bool // one has, or takes, the lock
}

// change is one that waits to be made.
type change struct {
	ctx  context.Context
	fn   func(*registry.Tx) error
	done chan struct{} // closed once it is decided
	next chan struct{} // closed where this one has to take the lock

	state registry.State
	err   error
	made  bool // whatever came of it: it is decided
}

// join waits until another made the change, or could not; true: this one has to take the lock.
func (q *writes) join(w *change) bool {
	q.mu.Lock()
	if !q.led {
		q.led = true
		q.mu.Unlock()
		return true
	}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.done:
		return false
	case <-w.next:
		return true
	case <-w.ctx.Done():
	}
	if q.leave(w) {
		w.err = fmt.Errorf("registry: wait for an earlier change: %w",
			errors.Join(atomicfile.ErrLocked, context.Cause(w.ctx)))
		return false
	}
	select { // it is being made already
	case <-w.done:
		return false
	case <-w.next:
		return true
	}
}

// leave says whether the change was still waiting.
func (q *writes) leave(w *change) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, w)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	return at >= 0
}

// take answers with all that wait.
func (q *writes) take() []*change {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.waiting
	q.waiting = nil
	return all
}

// pass has the next one take the lock.
func (q *writes) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.led = len(q.waiting) > 0; q.led {
		close(q.waiting[0].next)
		q.waiting = q.waiting[1:]
	}
}

// lead takes the lock and makes the change, with all that wait by then.
func (s *Store) lead(w *change) {
	defer s.writes.pass()
	lock, err := atomicfile.Lock(w.ctx, s.lockFile())
	if err != nil {
		w.err = fmt.Errorf("registry: %w", err)
		if w.ctx.Err() == nil { // somebody has it for longer than anybody waits
			for _, one := range s.writes.take() {
				one.err = w.err
				close(one.done)
			}
		}
		return
	}
	others := s.writes.take()
	defer func() { // also behind a panic, after which this process may go on
		w.err = errors.Join(w.err, lock.Unlock())
		for _, one := range others {
			if !one.made {
				one.err = errCutOff
			}
			close(one.done)
		}
	}()
	rest := s.together(append([]*change{w}, others...))
	for _, one := range rest {
		s.alone(one)
	}
}

// together makes several changes in one write, and answers with those that are still to be made: all where that write
// failed, since one of them may be why, and those behind the end of the session.
func (s *Store) together(all []*change) (rest []*change) {
	if len(all) == 1 {
		return all
	}
	made := all
	current, err := s.update(all[0].ctx, func(tx *registry.Tx) error {
		made = all
		sound := false
		for i, w := range all {
			if tx.Ended() {
				made = all[:i]
				break
			}
			w.err = tx.Try(w.fn)
			sound = sound || w.err == nil
		}
		if !sound {
			return errNothing
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNothing) {
		return all
	}
	for _, w := range made {
		if w.made = true; w.err == nil {
			w.state = s.state(current)
		}
	}
	return all[len(made):]
}

// errCutOff is what is known of a change beside one that panicked.
var errCutOff = errors.New("registry: it was not written, since another change of the same write failed")

// errNothing says that none of several changes can be made, and each has its own reason.
var errNothing = errors.New("nothing to write")

// alone makes one change.
func (s *Store) alone(w *change) {
	current, err := s.update(w.ctx, w.fn)
	w.made = true
	if w.err = err; err == nil {
		w.state = s.state(current)
	}
}

func (s *Store) update(ctx context.Context, fn func(*registry.Tx) error) (*current, error) {
	for try := 1; ; try++ {
		current, err := s.once(ctx, fn)
		var changed *atomicfile.ChangedError
		if !errors.As(err, &changed) || try == changedTries {
			return current, err
		}
	}
}
