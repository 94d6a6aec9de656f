//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// TestRefusedMessage holds that a message whose registry row is refused is never seen in the queue,
// and disturbs nobody who looks.
func TestRefusedMessage(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "true", "")
	d.record(1)
	sessionID, id := d.state().Session.ID, "AGT-001"
	refused := errors.New("refused")
	over := make(chan error, 1)
	go func() {
		var err error
		for range 2000 {
			if err = session.Enqueue(context.Background(), d.Project, sessionID, id, session.Message{Text: "x"},
				func() error {
					return refused
				}); !errors.Is(
				err,
				refused,
			) {
				break
			}
		}
		over <- err
	}()
	for looks := 0; ; looks++ {
		all, err := session.Queue(d.Project, sessionID, id)
		if err != nil || len(all) > 0 {
			t.Fatalf("look %d: %v, %v", looks, all, err)
		}
		select {
		case err := <-over:
			if !errors.Is(err, refused) {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// TestMessageOfACommandThatDied holds that a message is not lost if its command dies behind the
// registry's row, and that it keeps its place.
func TestMessageOfACommandThatDied(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "block BLOCKED HELP", "")
	ctx := context.Background()
	d.begin(1)
	d.reaches("AGT-001", registry.Checkpoint)
	d.kill()
	dir := session.QueueDir(d.Project, d.state().Session.ID, "AGT-001")
	number := 0
	if data, err := os.ReadFile(filepath.Join(dir, "last")); err == nil {
		_, _ = fmt.Sscan(string(data), &number)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.writeJSON(filepath.Join(dir, fmt.Sprintf("%06d.new", number+1)),
		session.Message{Number: number + 1, From: "Ada", Text: "first of all"})
	if err := os.WriteFile(filepath.Join(dir, "last"), fmt.Append(nil, number+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Continue(ctx, "AGT-001", "second"); err != nil {
		t.Fatal(err)
	}
	d.launch()
	d.until("the second turn", func() bool {
		a := d.agent("AGT-001")
		return a.Turns == 2 && a.Status == registry.Checkpoint
	})
	p := d.prompt("AGT-001", 2)
	if first, second := strings.Index(p, "first of all"), strings.Index(p, "second"); first < 0 || second < first {
		t.Errorf("prompt %q", p)
	}
}

// TestContinuedTwice holds that of two terminals that continue one agent, the one that is refused is not heard.
func TestContinuedTwice(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "block BLOCKED HELP", withoutFence)
	d.begin(1)
	d.reaches("AGT-001", registry.Checkpoint)
	for round := range 4 {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for n := range errs {
			both.Go(func() {
				_, errs[n] = d.Continue(context.Background(), "AGT-001", fmt.Sprintf("round %d from %d", round, n))
			})
		}
		both.Wait()
		d.reaches("AGT-001", registry.Checkpoint)
		p := d.prompt("AGT-001", d.agent("AGT-001").Turns)
		for n, err := range errs {
			var moved *registry.TransitionError
			if errors.As(err, &moved) && strings.Contains(p, fmt.Sprintf("round %d from %d", round, n)) {
				t.Errorf("round %d: %d was refused (%v) and is in the prompt", round, n, err)
			}
		}
		if errs[0] != nil && errs[1] != nil {
			t.Errorf("round %d: %v, %v", round, errs[0], errs[1])
		}
	}
}
