package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// await returns once one change takes the lock, which another holder has, and so many wait behind it.
func await(t *testing.T, s *Store, behind int) {
	t.Helper()
	for t.Context().Err() == nil {
		s.writes.mu.Lock()
		there := s.writes.led && len(s.writes.waiting) == behind
		s.writes.mu.Unlock()
		if there {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func locked(t *testing.T, s *Store) *atomicfile.Guard {
	t.Helper()
	lock, err := atomicfile.Lock(t.Context(), s.lockFile())
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// Changes that wait for the lock are one version of the record, in the order in which they came. One that is refused
// leaves nothing of itself, and takes none of the others with it.
func TestWaitingChangesAreOneWrite(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	before, _, err := s.versions.before(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	lock := locked(t, s)
	var group sync.WaitGroup
	states, errs := make([]registry.State, 9), make([]error, 9)
	for i := range states {
		group.Go(func() {
			states[i], errs[i] = s.Update(t.Context(), func(tx *registry.Tx) error {
				if err := message(fmt.Sprintf("change %d", i))(tx); err != nil || i%4 != 2 {
					return err
				}
				return refused
			})
		})
		await(t, s, i)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	want := "change 0, change 1, change 3, change 4, change 5, change 7, change 8"
	for i, err := range errs {
		if i%4 == 2 {
			if !errors.Is(err, refused) {
				t.Errorf("change %d: %v", i, err)
			}
			continue
		}
		if got := details(states[i]); err != nil || !strings.Contains(got, fmt.Sprint("change ", i)) {
			t.Errorf("change %d: %v, %s", i, err, got)
		}
	}
	var notices []string
	for _, e := range view(t, s).Events {
		if strings.HasPrefix(e.Details, "change ") {
			notices = append(notices, e.Details)
		}
	}
	if got := strings.Join(notices, ", "); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	kept, err := s.versions.read(1 << 30)
	if err != nil || len(kept) != 2 || string(kept[1]) != string(before) {
		t.Errorf("%d versions, %v, want one more", len(kept), err)
	}
	states[0].Agents[0].Name = "changed"
	if states[1].Agents[0].Name == "changed" {
		t.Error("two callers share a state")
	}
}

// What comes behind the end of a session is asked of the record without it.
func TestWaitingBehindTheEnd(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	lock := locked(t, s)
	errs := make(chan error, 3)
	run := func(fn func(*registry.Tx) error) {
		_, err := s.Update(t.Context(), fn)
		errs <- err
	}
	for i, fn := range []func(*registry.Tx) error{message("first"), func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionAborted, registry.Event{Details: "done", By: "jane"})
	}, twoAgents} {
		go run(fn)
		await(t, s, i)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if state := view(t, s); state.Session == nil || len(state.Archived) != 1 {
		t.Errorf("session %v, archived %v", state.Session, state.Archived)
	}
}

// Who is told to stop while it waits changes nothing, and who has the lock goes on.
func TestWaitingIsGivenUp(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	lock := locked(t, s)
	errs := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	leading, stop := context.WithCancel(t.Context())
	go func() {
		_, err := s.Update(leading, message("first"))
		errs <- err
	}()
	await(t, s, 0)
	go func() {
		_, err := s.Update(ctx, message("second"))
		errs <- err
	}()
	await(t, s, 1)
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) || !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("error %v", err)
	}
	go func() {
		_, err := s.Update(t.Context(), message("third"))
		errs <- err
	}()
	await(t, s, 1)
	stop()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; err != nil {
		t.Errorf("after one before it gave up: %v", err)
	}
	if got := details(view(t, s)); strings.Contains(got, "first") || strings.Contains(got, "second") ||
		!strings.Contains(got, "third") {
		t.Errorf("told %s", got)
	}
}

// Who serves many, as the review in a browser does, lives on behind a panic of one: of what waited with it none is told
// to be written.
func TestPanicOfOneWaiter(t *testing.T) {
	s := storeIn(t.TempDir())
	update(t, s, twoAgents)
	lock := locked(t, s)
	errs := make(chan error, 2)
	for i, fn := range []func(*registry.Tx) error{message("first"), func(*registry.Tx) error { panic("a fault") },
		message("third")} {
		go func() {
			defer func() { _ = recover() }()
			_, err := s.Update(t.Context(), fn)
			errs <- err
		}()
		await(t, s, i)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; !errors.Is(err, errCutOff) {
		t.Errorf("told %v", err)
	}
	update(t, s, message("later"))
	if got := details(view(t, s)); strings.Contains(got, "first") || strings.Contains(got, "third") {
		t.Errorf("written: %s", got)
	}
}
