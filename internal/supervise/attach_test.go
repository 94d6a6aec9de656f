//go:build linux

package supervise

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"delegate/internal/control/session"
	"delegate/internal/view/status"
	"delegate/registry"
)

// TestAttachLongLines holds that a long line typed at an attached terminal is queued whole, that
// one over the bound is told, and that the lines behind either are queued too.
func TestAttachLongLines(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "sleep 300", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in, typed := io.Pipe()
	var notes strings.Builder
	over := make(chan error, 1)
	go func() {
		over <- status.Attach(ctx, d.Project, "AGT-001", status.AttachOptions{In: in, Out: io.Discard, Notes: &notes,
			Send: func(ctx context.Context, text string) error {
				_, err := d.Message(ctx, "AGT-001", text)
				return err
			}})
	}()
	long := strings.Repeat("x", 70_000)
	for _, line := range []string{"first\n", long + "\n", strings.Repeat("y", status.MaxLine+1) + "\n", "\n", "last"} {
		if _, err := io.WriteString(typed, line); err != nil {
			t.Fatal(err)
		}
	}
	typed.Close()
	sessionID := d.state().Session.ID
	d.until("the last line", func() bool {
		all, err := session.Queue(d.Project, sessionID, "AGT-001")
		return err == nil && len(all) > 0 && all[len(all)-1].Text == "last"
	})
	cancel()
	err := <-over
	var tooLong *status.LongLineError
	if !errors.As(err, &tooLong) || tooLong.Number != 3 || !strings.Contains(notes.String(), tooLong.Error()) {
		t.Errorf("it ended with %v; notes %q", err, notes.String())
	}
	all, err := session.Queue(d.Project, sessionID, "AGT-001")
	if err != nil || len(all) != 3 || all[0].Text != "first" || all[1].Text != long {
		t.Errorf("%d messages are queued: %v", len(all), err)
	}
}
